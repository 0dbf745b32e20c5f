"""The lowest loss that targets allow: that of the perfect answer."""

from __future__ import annotations

import math

import torch
import torch.nn.functional as F
from torch import Tensor

from paramedic.checkup.batch import Batch
from paramedic.checkup.check import Skip
from paramedic.checkup.losses import Comparison, Kind, comparison_of
from paramedic.checkup.patient import Patient

_SURE = (30.0, 12.0, 8.0, 5.0, 3.0, 2.0)  # logits; smoothed labels want some doubt


def best_possible(patient: Patient, batch: Batch) -> float | None:
    """The loss of the perfect answer, None if the loss is not known well enough to have one."""
    try:
        comparison = comparison_of(patient, batch)
        found = [comparison.score(answer) for answer in _perfect(comparison)]
    except Skip:
        return None
    return min((one for one in found if math.isfinite(one)), default=None)


def _perfect(comparison: Comparison) -> list[Tensor]:
    """The answers of which one is perfect."""
    prediction, target = comparison.prediction, comparison.target
    if comparison.kind in (Kind.CROSS_ENTROPY, Kind.LOG_LIKELIHOOD):
        return _sure_of_classes(comparison)
    if comparison.kind is None or prediction.shape != target.shape:
        return []
    values = target.to(prediction.dtype)
    return [torch.logit(values, 1e-6) if comparison.kind is Kind.BINARY_LOGITS else values]


def _sure_of_classes(comparison: Comparison) -> list[Tensor]:
    if comparison.has_probabilities:
        return [comparison.target.clamp_min(1e-9).log().to(comparison.prediction.dtype)]
    found = comparison.rows()
    if found is None:
        return []
    rows, labels = found
    count = rows.shape[-1]
    right = F.one_hot(labels.clamp(0, count - 1).long(), count).to(rows.dtype)
    return [_shaped(F.log_softmax(sure * right, dim=-1), comparison) for sure in _SURE]


def _shaped(rows: Tensor, comparison: Comparison) -> Tensor:
    """Rows in the shape of the prediction."""
    shape = comparison.prediction.shape
    if comparison.last_axis or len(shape) <= 2:
        return rows.reshape(shape)
    moved = (shape[0], *shape[2:], shape[1])
    return rows.reshape(moved).movedim(-1, 1)
