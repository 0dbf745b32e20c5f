"""Inputs and labels that are abnormal, invalid, useless or missing."""

from __future__ import annotations

import math
from functools import partial

import torch
from torch import Tensor

from ....data import changes
from ....data.texts import UNKNOWN
from ....faults import masked
from ....optimizers import sgd
from ....plan import Batch, Plan
from ....recipe import Recipe, sick
from ... import bases as first
from ...second import bases as second
from .. import bases

_NAN = ("non-finite",)


def _abnormal(
    plan: Plan,
    seed: int,
    form: str,
    change: changes.Change,
    accepted: tuple[str, ...] = (),
) -> list[Recipe]:
    return sick("abnormal-data", form, plan, seed, accepted, source=plan.data(change))


def _dates(x: Tensor) -> Tensor:
    """The first feature is a date written as a number, such as 20240131."""
    x = x.clone()
    x[:, 0] = 20_000_000 + (10_000 * (24 + x[:, 0])).round()
    return x


ABNORMAL: list[Recipe] = [
    *_abnormal(bases.GATED_HOUSING, 60, "date-as-number", changes.inputs(_dates)),
    *_abnormal(bases.CROSSED_ALARMS, 61, "missing-as-99999", changes.outliers(0.03, 99999.0), _NAN),
    *_abnormal(
        first.RESNET_SHAPES.but(
            model=first.RESNET_SHAPES.remodel(norm=False), optimizer=sgd(0.02, 0.9)
        ),
        62,
        "not-normalised-x120",
        changes.scaled(120.0, 128.0),
        _NAN,
    ),
    *_abnormal(bases.WAVES_RHYTHMS, 63, "few-nan", changes.outliers(0.02, math.nan), _NAN),
]


def _spread(y: Tensor) -> Tensor:
    """Yes and no as -1 and 1."""
    return 2 * y - 1


INVALID: list[Recipe] = [
    *sick(
        "invalid-labels",
        "missing-as-minus-9999",
        bases.GATED_HOUSING,
        60,
        ("gradient-instability", "abnormal-data"),
        source=bases.GATED_HOUSING.data(changes.share_of_targets(0.02, -9999.0)),
    ),
    *sick(
        "invalid-labels",
        "one-class-only",
        bases.KERNELS_DIGITS,
        61,
        source=bases.KERNELS_DIGITS.data(changes.train_targets(lambda y: torch.full_like(y, 4))),
    ),
]


def _misaligned(step: int, batch: Batch) -> Batch:
    """Inputs and targets were shuffled apart."""
    del step
    inputs, targets = batch
    return inputs, targets[torch.randperm(len(targets))]


def _without_truth(plan: Plan, seed: int, form: str, change: changes.Change) -> list[Recipe]:
    return sick("uninformative-labels", form, plan, seed, source=plan.data(change))


UNINFORMATIVE: list[Recipe] = [
    *_without_truth(bases.SQUEEZED_MNIST, 60, "shuffled", changes.shuffled_labels),
    *_without_truth(bases.GRAPH_MOLECULES, 61, "noise-targets", changes.noise_targets),
    *sick("uninformative-labels", "shuffled-apart", bases.CROSSED_FOREST, 62, tamper=_misaligned),
    *_without_truth(bases.ASKING_DIGITS, 63, "shuffled", changes.shuffled_labels),
    *_without_truth(
        second.HIGHWAY_SWISS.but(optimizer=sgd(0.03)), 64, "noise-targets", changes.noise_targets
    ),
]


def _same(x: Tensor) -> Tensor:
    return x[:1].expand_as(x).clone()


def _dead(plan: Plan, seed: int, form: str, change: changes.Function) -> list[Recipe]:
    return sick("dead-input", form, plan, seed, source=plan.data(changes.inputs(change)))


DEAD: list[Recipe] = [
    *_dead(bases.ASKING_REUTERS, 60, "all-unknown", partial(torch.full_like, fill_value=UNKNOWN)),
    *_dead(bases.POINTER_POINTING, 61, "all-zero", torch.zeros_like),
    *_dead(bases.CROSSED_FOREST, 62, "same-sample", _same),
    *sick("dead-input", "masked", bases.WAVES_RHYTHMS, 63, model=masked(bases.WAVES_RHYTHMS.model)),
]

RECIPES = ABNORMAL + INVALID + UNINFORMATIVE + DEAD
