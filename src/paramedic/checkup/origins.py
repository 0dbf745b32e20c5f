"""What is a weight and what an activation, also after a weight was cast, masked or multiplied.

Under autocast the product is with a copy of a weight in another type; low-rank adapters multiply
two weights first. What is made of weights and constants alone is a weight all the same; what is
drawn at random is an input.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import torch
from torch import Tensor, nn

from paramedic.checkup.dropouts import draws
from paramedic.checkup.nest import flatten
from paramedic.checkup.operations import memories, memory_of


class Origins:
    """Follows weights through the operations of a forward pass."""

    def __init__(self, model: nn.Module) -> None:
        self._own = memories([*model.parameters(), *model.buffers()])
        self._names = {memory_of(one): name for name, one in model.named_parameters()}
        self._made: dict[int, Tensor] = {}  # kept, so that nobody else gets their memory

    def is_weight(self, tensor: Tensor) -> bool:
        """Whether the values do not depend on the input."""
        place = memory_of(tensor)
        return place in self._own or place in self._made

    def name_of(self, tensor: Tensor) -> str | None:
        """The parameter that the values are, or are a copy of."""
        return self._names.get(memory_of(tensor))

    def follow(self, name: str, given: Mapping[str, Any], result: Any) -> None:
        """Learn from one operation."""
        taken = [one for one in flatten(list(given.values())) if _has_memory(one)]
        made = [one for one in flatten(result) if _has_memory(one)]
        if all(self.is_weight(one) for one in taken) and not draws(name):
            for one in made:
                if memory_of(one) not in self._own:
                    self._made[memory_of(one)] = one
                    self._inherit(taken, one)
        else:  # what was a constant may have been written into
            for one in made:
                self._made.pop(memory_of(one), None)

    def _inherit(self, taken: list[Tensor], made: Tensor) -> None:
        if len(taken) == 1 and taken[0].numel() == made.numel():
            name = self.name_of(taken[0])
            if name is not None:
                self._names[memory_of(made)] = name


def _has_memory(tensor: Tensor) -> bool:
    return tensor.layout is torch.strided and tensor.numel() > 0
