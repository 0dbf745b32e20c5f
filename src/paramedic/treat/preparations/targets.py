"""Repairs of targets: the form that the loss takes them in."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from paramedic.treat.preparation import Change, Preparation


@dataclass(frozen=True)
class Shift(Preparation):
    """Classes counted from 0: labels minus `by`, or minus the smallest one in training."""

    by: int | None = None

    def fit(self, values: Tensor) -> Change:
        first = int(values.min()) if self.by is None else self.by
        return lambda batch: batch - first


@dataclass(frozen=True)
class Enumerate(Preparation):
    """The labels that occur in training, in order, become 0, 1, 2 …; any other becomes -100,
    which cross-entropy leaves out."""

    def fit(self, values: Tensor) -> Change:
        known = torch.unique(values)

        def change(batch: Tensor) -> Tensor:
            labels = known.to(batch.device)
            place = torch.searchsorted(labels, batch.contiguous()).clamp(max=len(labels) - 1)
            return torch.where(labels[place] == batch, place, -100)

        return change


@dataclass(frozen=True)
class AsLabels(Preparation):
    """One-hot rows as the number of their class."""

    def fit(self, values: Tensor) -> Change:
        return lambda batch: batch.argmax(-1)


@dataclass(frozen=True)
class OneHot(Preparation):
    """The number of a class as a row with a one in its place."""

    classes: int

    def fit(self, values: Tensor) -> Change:
        classes = self.classes
        return lambda batch: torch.nn.functional.one_hot(batch.long(), classes).float()


@dataclass(frozen=True)
class Rescale(Preparation):
    """From the range that the targets have in training to 0…1, and not beyond."""

    def fit(self, values: Tensor) -> Change:
        low, high = float(values.min()), float(values.max())
        width = (high - low) or 1.0
        return lambda batch: ((batch.float() - low) / width).clamp(0, 1)


@dataclass(frozen=True)
class Squeeze(Preparation):
    """Without the last dimension, which has one entry."""

    def fit(self, values: Tensor) -> Change:
        return lambda batch: batch.squeeze(-1)


@dataclass(frozen=True)
class Unsqueeze(Preparation):
    """With a last dimension of one entry."""

    def fit(self, values: Tensor) -> Change:
        return lambda batch: batch.unsqueeze(-1)


@dataclass(frozen=True)
class AsFloat(Preparation):
    """Whole numbers as real ones."""

    def fit(self, values: Tensor) -> Change:
        return lambda batch: batch.float()


@dataclass(frozen=True)
class AsWhole(Preparation):
    """Real numbers that are whole as whole ones."""

    def fit(self, values: Tensor) -> Change:
        return lambda batch: batch.long()
