"""Counting bytes: what is alive during a forward pass, and what is kept for the backward pass."""

from __future__ import annotations

import contextlib
import weakref
from collections.abc import Iterator, Mapping
from typing import Any

import torch
from torch import Tensor, nn

from paramedic.checkup.nest import flatten
from paramedic.checkup.operations import Watcher, memories, memory_of


class Live(Watcher):
    """The most bytes that results of operations held at once; without gradients."""

    def __init__(self) -> None:
        self.most = 0
        self._now = 0
        self._holders: dict[int, int] = {}  # tensors that share a memory

    def seen(self, name: str, given: Mapping[str, Any], result: Any) -> None:
        taken = memories(one for one in given.values() if isinstance(one, Tensor))
        for tensor in flatten(result):
            if tensor.layout is torch.strided and tensor.numel():
                self._hold(tensor, fresh=memory_of(tensor) not in taken)

    def _hold(self, tensor: Tensor, *, fresh: bool) -> None:
        place, size = memory_of(tensor), tensor.untyped_storage().nbytes()
        if place not in self._holders:
            if not fresh:  # a view of the input or of a weight
                return
            self._now += size
            self.most = max(self.most, self._now)
        self._holders[place] = self._holders.get(place, 0) + 1
        weakref.finalize(tensor, self._release, place, size)

    def _release(self, place: int, size: int) -> None:
        self._holders[place] -= 1
        if not self._holders[place]:
            del self._holders[place]
            self._now -= size


class Kept:
    """The bytes that autograd keeps of a forward pass, weights not counted."""

    def __init__(self, model: nn.Module) -> None:
        self._weights = memories([*model.parameters(), *model.buffers()])
        self._sizes: dict[int, int] = {}
        self._alive: list[Tensor] = []

    @property
    def bytes(self) -> int:
        return sum(self._sizes.values())

    @contextlib.contextmanager
    def counted(self) -> Iterator[None]:
        """Count what is kept meanwhile."""
        with torch.autograd.graph.saved_tensors_hooks(self._pack, lambda kept: kept):
            yield
        self._alive.clear()

    def _pack(self, tensor: Tensor) -> Tensor:
        if tensor.layout is torch.strided and tensor.numel():
            place = memory_of(tensor)
            if place not in self._weights:
                self._sizes[place] = tensor.untyped_storage().nbytes()
                self._alive.append(tensor)
        return tensor
