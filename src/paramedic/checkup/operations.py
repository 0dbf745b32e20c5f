"""Seeing every operation of a forward pass, whoever calls it and however it is written."""

from __future__ import annotations

import contextlib
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Self

import torch
from torch import Tensor, nn
from torch.utils._python_dispatch import TorchDispatchMode


class Watcher(ABC):
    """Calls `seen` after every operation below autograd, with arguments by name.

    ```python
    with Products(model) as products:
        model(x)
    ```
    """

    def __enter__(self) -> Self:
        self._mode = _Mode(self.seen)
        self._mode.__enter__()  # type: ignore[no-untyped-call]
        return self

    def __exit__(self, *raised: object) -> None:
        self._mode.__exit__(*raised)  # type: ignore[no-untyped-call]

    @abstractmethod
    def seen(self, name: str, given: Mapping[str, Any], result: Any) -> None:
        """One operation: `mm`, its arguments, its result."""


class _Mode(TorchDispatchMode):  # type: ignore[no-untyped-call]
    def __init__(self, seen: Callable[[str, Mapping[str, Any], Any], None]) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self._seen = seen

    def __torch_dispatch__(
        self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: Any = None
    ) -> Any:
        given = kwargs or {}
        result = func(*args, **given)
        named = zip((one.name for one in func._schema.arguments), args, strict=False)
        self._seen(func._schema.name.removeprefix("aten::"), {**dict(named), **given}, result)
        return result


def memory_of(tensor: Tensor) -> int:
    """Where the values lie: the same for a tensor and its views."""
    return tensor.untyped_storage().data_ptr()


def memories(tensors: Iterable[Tensor]) -> set[int]:
    """Where the values of all these lie."""
    return {memory_of(one) for one in tensors if one.layout is torch.strided and one.numel()}


class Whereabouts:
    """Which module is running: for naming the place of an operation."""

    def __init__(self, model: nn.Module) -> None:
        self._model = model
        self._stack: list[str] = []

    @property
    def now(self) -> str:
        """The name of the innermost running module; that of the class for the model itself."""
        return self._stack[-1] if self._stack else type(self._model).__name__

    @contextlib.contextmanager
    def followed(self) -> Iterator[None]:
        """Follow the calls of modules meanwhile."""
        handles = []
        for name, module in self._model.named_modules():
            label = name or type(self._model).__name__
            handles.append(module.register_forward_pre_hook(self._enter(label)))
            handles.append(module.register_forward_hook(self._leave, always_call=True))
        try:
            yield
        finally:
            for handle in handles:
                handle.remove()
            self._stack.clear()

    def _enter(self, name: str) -> Any:
        def enter(module: nn.Module, args: Any) -> None:
            self._stack.append(name)

        return enter

    def _leave(self, module: nn.Module, args: Any, output: Any) -> None:
        if self._stack:
            self._stack.pop()
