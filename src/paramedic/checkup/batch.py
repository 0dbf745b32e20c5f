"""A batch taken apart: its tensors, which of them are targets, and where the samples lie."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Self

import torch
from torch import Tensor

from paramedic.checkup.check import Skip
from paramedic.checkup.nest import flatten, rebuild


@dataclass(frozen=True, slots=True)
class Batch:
    """What the caller gave, and what is known of it.

    `targets` are places in `tensors`; all others are inputs. `axis` is that of the samples in the
    inputs, `size` their number; `uneven` says why the batch cannot be cut into samples, if so.
    """

    nest: Any
    tensors: tuple[Tensor, ...]
    targets: frozenset[int] = frozenset()
    axis: int = 0
    size: int = 0
    uneven: str = ""

    @classmethod
    def of(
        cls, nest: Any, target: Callable[[Any], Any] | None = None, axis: int | None = None
    ) -> Self:
        """Take a batch apart; `target` finds the part of it that is compared with the output."""
        tensors = tuple(flatten(nest))
        # By place and not by identity: the target of an autoencoder is its input.
        places = rebuild(nest, [torch.tensor(place) for place in range(len(tensors))])
        targets = frozenset(int(place) for place in flatten(target(places) if target else None))
        inputs = [one for place, one in enumerate(tensors) if place not in targets and one.dim()]
        goal = next((tensors[place] for place in sorted(targets) if tensors[place].dim()), None)
        if not inputs:
            return cls(nest, tensors, targets, uneven="its inputs are no tensors with samples")
        found = _axis(inputs[0], goal) if axis is None else axis
        if found >= inputs[0].dim():
            raise ValueError(
                f"`batch_axis` must be an axis of the input, which has the shape "
                f"{list(inputs[0].shape)}, but got {axis}."
            )
        size = inputs[0].shape[found]
        batch = cls(nest, tensors, targets, found, size)
        return replace(batch, uneven=batch._why_uneven())

    def _why_uneven(self) -> str:
        for place, tensor in enumerate(self.tensors):
            if tensor.dim() and self._per_sample(place) == 0:
                shapes = ", ".join(str(list(one.shape)) for one in self.tensors)
                return f"its tensors do not agree on the number of samples ({shapes})"
        return ""

    def _axis_of(self, place: int) -> int:
        tensor = self.tensors[place]
        fits = tensor.dim() > self.axis and tensor.shape[self.axis] == self.size
        return self.axis if fits else 0

    def _per_sample(self, place: int) -> int:
        """Rows of a tensor per sample: 1, more in flattened targets, 0 if it is not so divided."""
        rows = self.tensors[place].shape[self._axis_of(place)]
        if rows == self.size:
            return 1
        flat = place in self.targets and self.size and rows % self.size == 0
        return rows // self.size if flat else 0

    @property
    def inputs(self) -> tuple[int, ...]:
        """The places of the input tensors."""
        return tuple(place for place in range(len(self.tensors)) if place not in self.targets)

    @property
    def target(self) -> Tensor | None:
        """The first target."""
        return self.tensors[min(self.targets)] if self.targets else None

    def with_tensors(self, changed: Mapping[int, Tensor]) -> Batch:
        """The same batch with other tensors at some places."""
        tensors = tuple(changed.get(place, one) for place, one in enumerate(self.tensors))
        return replace(self, nest=rebuild(self.nest, tensors), tensors=tensors)

    def take(self, count: int) -> Batch:
        """A batch of `count` samples: the first ones, from the start again when there are fewer."""
        if self.uneven:
            raise Skip(f"the batch cannot be cut into samples: {self.uneven}")
        chosen = torch.arange(count) % self.size
        changed = {
            place: self._rows(place, chosen) for place, one in enumerate(self.tensors) if one.dim()
        }
        return replace(self.with_tensors(changed), size=count)

    def _rows(self, place: int, samples: Tensor) -> Tensor:
        tensor, each = self.tensors[place], self._per_sample(place)
        rows = (samples[:, None] * each + torch.arange(each)).flatten()
        return tensor.index_select(self._axis_of(place), rows.to(tensor.device))

    def length(self, places: tuple[int, ...] | None = None) -> int:
        """The length of the sequences in the first of these inputs, 0 if it holds none."""
        first = self.tensors[(places or self.inputs)[0]]
        axis = self.sequence_axis
        return first.shape[axis] if first.dim() > axis else 0

    @property
    def sequence_axis(self) -> int:
        """The axis of the positions in sequences: the other one of the first two."""
        return 1 - self.axis if self.axis in (0, 1) else 1

    def of_length(self, length: int) -> Batch:
        """The same samples with sequences of another length, in inputs and targets: cut off, or
        from the start again."""
        axis, full = self.sequence_axis, self.length()
        order = torch.arange(length) % max(full, 1)
        changed = {
            place: one.index_select(axis, order.to(one.device))
            for place, one in enumerate(self.tensors)
            if one.dim() > axis and one.shape[axis] == full
        }
        return self.with_tensors(changed)

    def fresh(self) -> Any:
        """The nest with clones: a model may write into what it is given."""
        return rebuild(self.nest, [one.detach().clone() for one in self.tensors])


def _axis(first: Tensor, target: Tensor | None) -> int:
    """Samples come first, unless the target says otherwise."""
    if target is None or first.dim() < 2 or first.shape[0] == target.shape[0]:
        return 0
    return 1 if first.shape[1] == target.shape[0] else 0
