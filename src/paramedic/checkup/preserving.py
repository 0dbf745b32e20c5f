"""Nothing of the patient is changed: everything is put back, also when a check raises."""

from __future__ import annotations

import contextlib
import warnings
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.parameter import is_lazy

from paramedic.probe.randomness import random_streams

_TABLES = ("_parameters", "_buffers", "_modules")


@contextlib.contextmanager
def preserved(*modules: nn.Module) -> Iterator[None]:
    """Put back weights, buffers, gradients, modes, attributes and the random streams.

    The checks work on copies. This is for what reaches the originals all the same: a loss that
    refers to the model, a model that cannot be copied.
    """
    states = [_State(module) for one in modules for module in one.modules()]
    tensors = [_Kept(tensor) for tensor in _tensors(modules)]
    with random_streams(), _plain_settings():
        try:
            yield
        finally:
            for state in states:
                state.restore()
            for kept in tensors:
                kept.restore()


@contextlib.contextmanager
def _plain_settings() -> Iterator[None]:
    """Gradients on, no warnings, and attention computed operation by operation.

    The fast path of `nn.TransformerEncoder` hides its attention inside one operation.
    """
    fast = torch.backends.mha.get_fastpath_enabled()
    with warnings.catch_warnings(), torch.inference_mode(False), torch.enable_grad():
        warnings.simplefilter("ignore")
        torch.backends.mha.set_fastpath_enabled(False)
        try:
            yield
        finally:
            torch.backends.mha.set_fastpath_enabled(fast)


def _tensors(modules: Iterable[nn.Module]) -> list[Tensor]:
    found: dict[int, Tensor] = {}
    for module in modules:
        for tensor in (*module.parameters(), *module.buffers()):
            if not is_lazy(tensor):
                found[id(tensor)] = tensor
    return list(found.values())


class _State:
    """The attributes of a module, and what stands in its tables; not what those are made of."""

    def __init__(self, module: nn.Module) -> None:
        self._module = module
        self._attributes = dict(module.__dict__)
        self._tables: dict[str, dict[str, Any]] = {
            name: dict(module.__dict__[name]) for name in _TABLES if name in module.__dict__
        }

    def restore(self) -> None:
        attributes = self._module.__dict__
        for name in attributes.keys() - self._attributes.keys():
            del attributes[name]
        attributes.update(self._attributes)
        for name, entries in self._tables.items():
            attributes[name].clear()
            attributes[name].update(entries)


@dataclass(slots=True)
class _Kept:
    """A tensor, its values and its gradient."""

    tensor: Tensor
    values: Tensor
    gradient: Tensor | None
    gradient_values: Tensor | None
    requires_grad: bool

    def __init__(self, tensor: Tensor) -> None:
        self.tensor = tensor
        self.values = tensor.detach().clone()
        self.gradient = tensor.grad if tensor.is_leaf else None
        self.gradient_values = None if self.gradient is None else self.gradient.detach().clone()
        self.requires_grad = tensor.requires_grad

    def restore(self) -> None:
        with torch.no_grad():
            _write_back(self.tensor, self.values)
            if self.gradient is not None and self.gradient_values is not None:
                _write_back(self.gradient, self.gradient_values)
        if self.tensor.is_leaf:
            self.tensor.requires_grad_(self.requires_grad)
            self.tensor.grad = self.gradient


def _write_back(tensor: Tensor, values: Tensor) -> None:
    # Only what differs is written: a write would end the graph of a pass that is under way.
    if tensor.shape != values.shape or tensor.dtype != values.dtype:
        tensor.data = values
    elif not _same_bits(tensor.detach(), values):
        tensor.detach().copy_(values)


def _same_bits(one: Tensor, other: Tensor) -> bool:
    if one.layout is not torch.strided or one.is_quantized:
        return False
    return torch.equal(_bits(one), _bits(other))


def _bits(tensor: Tensor) -> Tensor:
    """A NaN is equal to itself, and 0.0 is not -0.0, when they are read as bytes."""
    return tensor.contiguous().view(-1).view(torch.uint8) if tensor.numel() else tensor
