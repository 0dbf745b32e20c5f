"""Which inputs are indices into a table: tokens, and positions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import torch
from torch import Tensor

from paramedic.checkup.operations import Watcher, memory_of

_LOOKUPS = {"embedding": "weight", "_embedding_bag": "weight", "embedding_bag": "weight"}


class Lookup(NamedTuple):
    """A table was read: how many rows it has, where, and which row stands for padding."""

    rows: int
    indices: Tensor
    padding: int


class Lookups(Watcher):
    """Records the tables that a forward pass reads."""

    def __init__(self) -> None:
        self.found: list[Lookup] = []

    def seen(self, name: str, given: Mapping[str, Any], result: Any) -> None:
        if name in _LOOKUPS:
            rows = given[_LOOKUPS[name]].shape[0]
            padding = int(given.get("padding_idx", -1))
            self.found.append(Lookup(rows, given["indices"].detach(), padding))

    def of(self, tensor: Tensor) -> Lookup | None:
        """The table that is read at exactly these indices, if any."""
        for lookup in self.found:
            if _same(lookup.indices, tensor):
                return lookup
        return None

    def positions(self, length: int) -> int:
        """How many positions the table of position embeddings has; 0 if there is none."""
        counted = torch.arange(length)
        for lookup in self.found:
            indices = lookup.indices.detach().cpu()
            if indices.shape[-1:] == (length,) and bool((indices == counted).all()):
                return lookup.rows
        return 0


def _same(indices: Tensor, tensor: Tensor) -> bool:
    if memory_of(indices) == memory_of(tensor):
        return True
    return indices.numel() == tensor.numel() and bool((indices.flatten() == tensor.flatten()).all())
