"""Attention recognised by what it does, not by what it is called.

Two activations are multiplied, the products are changed entry by entry (scaled, masked, put
through a softmax), and the result mixes a third: `f(Q @ K.T) @ V`. Whoever writes that in whatever
words has written attention, and `f(Q @ K.T)` are its weights.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.attention import SDPBackend, sdpa_kernel

from paramedic.checkup.dropouts import drops
from paramedic.checkup.operations import Watcher, Whereabouts, memory_of
from paramedic.checkup.origins import Origins

_PRODUCTS = {
    "mm": ("self", "mat2"),
    "bmm": ("self", "mat2"),
    "baddbmm": ("batch1", "batch2"),
    "addmm": ("mat1", "mat2"),
}
_ALLOCATIONS = ("empty", "zeros", "ones", "new_", "full", "arange")


@dataclass(slots=True)
class Attention:
    """One attention: where it is, its weights `[…, queries, keys]`, and what made them.

    `normalised_later`: the mix is divided once more, as when a softmax is written by hand.
    """

    where: str
    weights: Tensor
    operations: frozenset[str]
    normalised_later: bool = False
    dropped: bool = False  # some weights were put to zero at random


@dataclass(slots=True)
class _Scores:
    """Products of activations with activations, and what was done to them since."""

    tensor: Tensor  # keeps the memory, so that nobody else gets its address
    operations: frozenset[str] = field(default_factory=frozenset)


class Attentions(Watcher):
    """Records the attention of a forward pass. Use it through `attention_of`."""

    def __init__(self, model: nn.Module, place: Whereabouts) -> None:
        self._origins = Origins(model)
        self._place = place
        self._scores: dict[int, _Scores] = {}
        self._mixes: dict[int, tuple[Tensor, Attention]] = {}
        self._dropped = False
        self.found: list[Attention] = []

    def seen(self, name: str, given: Mapping[str, Any], result: Any) -> None:
        self._dropped |= drops(name, given)
        if name in _PRODUCTS:
            left, right = _PRODUCTS[name]
            self._product(given[left], given[right], result)
        elif isinstance(result, Tensor) and not name.startswith(_ALLOCATIONS):
            self._entrywise(name, given, result)
        self._origins.follow(name, given, result)

    def _product(self, left: Tensor, right: Tensor, result: Tensor) -> None:
        if self._origins.is_weight(right) or self._origins.is_weight(left):
            return
        scores = self._scores.get(memory_of(left))
        if scores is not None and memory_of(right) not in self._scores:
            weights = left.detach().clone()
            attention = Attention(self._place.now, weights, scores.operations)
            attention.dropped = self._dropped
            self.found.append(attention)
            self._mixes[memory_of(result)] = (result, attention)
        else:
            self._scores[memory_of(result)] = _Scores(result)

    def _entrywise(self, name: str, given: Mapping[str, Any], result: Tensor) -> None:
        taken = [one for one in given.values() if isinstance(one, Tensor)]
        for one in taken:
            scores = self._scores.get(memory_of(one))
            if scores is not None and one.numel() == result.numel():
                operations = scores.operations | {name}
                self._scores[memory_of(result)] = _Scores(result, operations)
                break
        if name.startswith("div") and taken and memory_of(taken[0]) in self._mixes:
            self._mixes[memory_of(taken[0])][1].normalised_later = True


@contextlib.contextmanager
def attention_of(model: nn.Module) -> Iterator[list[Attention]]:
    """The attention of what `model` computes meanwhile, in the order of execution.

    ```python
    with attention_of(model) as found:
        model(x)
    ```
    """
    place = Whereabouts(model)
    watcher = Attentions(model, place)
    # One by one: a fused attention shows neither its products nor its weights.
    with sdpa_kernel(SDPBackend.MATH), torch.no_grad(), place.followed(), watcher:
        yield watcher.found
