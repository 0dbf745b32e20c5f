"""What is remembered of a tensor of the user's without keeping it, or its graph, alive."""

from __future__ import annotations

import weakref
from functools import lru_cache
from typing import Any

import torch
from torch import Tensor, nn

from paramedic.probe.tensors import has_memory

_PLAIN = (Tensor, nn.Parameter)
_COPIED = 2**18  # values of a tensor that are copied, where it may be gone when it is read


class Glimpse:
    """One tensor as it was when it was seen.

    A reference to it is weak. With `copied`, its first rows are copied: what autograd does not
    save, like the scores that a loss was given in the same line, is gone before the backward pass.
    """

    __slots__ = ("_copy", "_reference", "is_leaf", "mark", "memory", "shape")

    def __init__(self, tensor: Tensor, *, copied: bool) -> None:
        self._reference = weakref.ref(tensor)
        self._copy = _first_rows(tensor) if copied else None
        self.mark = mark_of(tensor.grad_fn)
        self.is_leaf = self.mark is None
        self.memory = memory_of(tensor)
        self.shape = unexpanded(tensor) if copied else ()

    def alive(self) -> Tensor | None:
        """The tensor, if the program or autograd still has it."""
        found: Any = self._reference()
        if found is not None and hasattr(found, "_fix_weakref"):  # only autograd has it
            found._fix_weakref()
        return found  # type: ignore[no-any-return]

    def let_go(self) -> None:
        """The copy is not needed any more."""
        self._copy = None

    def tensor(self) -> Tensor | None:
        """The tensor, else what was copied of it."""
        found = self.alive()
        return self._copy if found is None else found


class Version:
    """Tells whether a tensor was written to since, also when it is gone: views may be alive."""

    __slots__ = ("_counter", "_seen")

    def __init__(self, tensor: Tensor) -> None:
        self._counter: Tensor | None = None
        self._seen = 0
        if type(tensor) in _PLAIN and tensor.layout is torch.strided and not tensor.is_inference():
            # Shares the counter of versions, but not the memory.
            self._counter = tensor.detach()
            self._counter.data = _nothing(tensor.dtype, tensor.device)
            self._seen = self._counter._version

    def intact(self) -> bool:
        """Whether nothing was written into it."""
        return self._counter is None or self._counter._version == self._seen


@lru_cache(maxsize=64)
def _nothing(dtype: torch.dtype, device: torch.device) -> Tensor:
    return torch.empty(0, dtype=dtype, device=device)


def mark_of(node: Any) -> int | None:
    """A number by which a node of autograd is found again: holding it would hold its graph."""
    return None if node is None else int(node._sequence_nr())


def memory_of(tensor: Tensor) -> int | None:
    """Where the numbers of a tensor are; the same for views of it."""
    if tensor.is_meta or not (tensor.is_floating_point() or tensor.is_complex()):
        return None
    if tensor.layout is torch.sparse_coo:
        tensor = tensor._values()
    elif tensor.layout is not torch.strided:
        return None
    return tensor.untyped_storage().data_ptr() or None


def unexpanded(tensor: Tensor) -> tuple[int, ...]:
    """The shape of a tensor, with 1 where expanding repeats the same memory."""
    if tensor.layout is not torch.strided:
        return tuple(tensor.shape)
    sizes = zip(tensor.shape, tensor.stride(), strict=True)
    return tuple(1 if stride == 0 else size for size, stride in sizes)


def _first_rows(tensor: Tensor) -> Tensor | None:
    if tensor.layout is not torch.strided or tensor.is_meta or not has_memory(tensor):
        return None
    values = tensor.detach()
    if values.numel() <= _COPIED:
        return values.clone()
    rows = _COPIED * len(values) // values.numel()
    return values[:rows].clone() if rows else None
