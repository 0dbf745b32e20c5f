"""Repairs of inputs. What they need to know they learn from the training data, and nothing else.

Features are the columns of a table, the channels of pictures, and each place of anything else.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from paramedic.treat.preparation import Change, Preparation

_PICTURES = 4  # dimensions from which the second one is channels
_SAMPLED = 200_000  # values of a feature that quantiles are taken from
_FLAT = 1e-6  # of its largest value: the spread of a feature that is constant in training


@dataclass(frozen=True)
class Standardise(Preparation):
    """Each feature by its mean and deviation over the training samples.

    A feature that is constant in training may differ later, so the result is kept within ±`limit`.
    """

    limit: float = 10.0

    def fit(self, values: Tensor) -> Change:
        rows = _features(values)
        mean = _mean(rows)
        variance = _mean((rows - mean).square())
        largest = torch.nan_to_num(rows).abs().amax(0)
        spread = variance.sqrt() + torch.clamp(_FLAT * largest, min=1e-12)
        middle, scale = _shaped(mean, values), _shaped(spread, values)
        limit = self.limit

        def change(batch: Tensor) -> Tensor:
            real = _real(batch)
            moved = (real - middle.to(real)) / scale.to(real)
            return moved.clamp(-limit, limit)

        return change


@dataclass(frozen=True)
class ImputeMissing(Preparation):
    """The training median of its feature for each value that is NaN or infinite."""

    def fit(self, values: Tensor) -> Change:
        rows = _features(values)
        medians = torch.nan_to_num(_quantile(rows, 0.5), nan=0.0)  # of a feature never seen
        middle = _shaped(medians, values)

        def change(batch: Tensor) -> Tensor:
            real = _real(batch)
            return torch.where(torch.isfinite(real), real, middle.to(real))

        return change


@dataclass(frozen=True)
class ClipOutliers(Preparation):
    """Each feature cut at `times` its usual half-width from its median.

    The usual half-width is between the median and the quantile `usual` of the training values, so
    that what is seen often is never cut.
    """

    usual: float = 0.98
    times: float = 3.0

    def fit(self, values: Tensor) -> Change:
        rows = _features(values)
        middle, low, high = (
            torch.nan_to_num(_quantile(rows, share)) for share in (0.5, 1 - self.usual, self.usual)
        )
        lowest = _shaped(middle - self.times * (middle - low), values)
        highest = _shaped(middle + self.times * (high - middle), values)

        def change(batch: Tensor) -> Tensor:
            real = _real(batch)
            return torch.minimum(torch.maximum(real, lowest.to(real)), highest.to(real))

        return change


def _real(values: Tensor) -> Tensor:
    return values if values.is_floating_point() else values.float()


def _features(values: Tensor) -> Tensor:
    """One row per value of a feature, one column per feature; what is not finite is NaN."""
    real = _real(values)
    if real.dim() >= _PICTURES:
        real = real.movedim(1, -1).reshape(-1, real.shape[1])
    rows = real.reshape(len(real), -1).double()
    return torch.where(torch.isfinite(rows), rows, torch.nan)


def _shaped(features: Tensor, values: Tensor) -> Tensor:
    """Numbers per feature in the shape in which they meet a batch."""
    if values.dim() >= _PICTURES:
        return features.reshape(-1, *[1] * (values.dim() - 2))
    return features.reshape(values.shape[1:])


def _mean(rows: Tensor) -> Tensor:
    return torch.nan_to_num(torch.nanmean(rows, 0), nan=0.0)


def _quantile(rows: Tensor, share: float) -> Tensor:
    """Of each feature, over its finite values; of very many, over some at a fixed distance."""
    stride = max(len(rows) // _SAMPLED, 1)
    ordered = rows[::stride].sort(0).values  # NaN comes last
    count = (~torch.isnan(ordered)).sum(0)
    place = ((count - 1).clamp(min=0) * share).round().long()
    return ordered.gather(0, place[None])[0]
