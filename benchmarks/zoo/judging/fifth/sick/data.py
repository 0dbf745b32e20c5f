"""Inputs and labels that are abnormal, invalid, useless or missing."""

from __future__ import annotations

import torch
from torch import Tensor

from ....data import changes
from ....optimizers import adam, sgd
from ....plan import Plan
from ....recipe import Recipe, sick
from .. import bases

_PLAIN_HOUSING = bases.LOOPED_HOUSING.but(
    model=bases.LOOPED_HOUSING.remodel(norm=False), optimizer=adam(3e-3)
)


def _abnormal(plan: Plan, seed: int, form: str, change: changes.Change) -> list[Recipe]:
    return sick("abnormal-data", form, plan, seed, source=plan.data(change))


def _seconds(x: Tensor) -> Tensor:
    """The third feature is a moment in seconds since 1970."""
    x = x.clone()
    x[:, 2] = 1.7e9 + 3e6 * x[:, 2]
    return x


ABNORMAL: list[Recipe] = [
    *_abnormal(_PLAIN_HOUSING, 110, "seconds-since-1970", changes.inputs(_seconds)),
    *_abnormal(bases.RELATION_SPREAD, 111, "missing-as-9999", changes.outliers(0.05, 9999.0)),
]

INVALID: list[Recipe] = [
    *sick(
        "invalid-labels",
        "labels-1-and-2",
        bases.LOOPED_ALARMS.but(epochs=4),
        113,
        source=bases.LOOPED_ALARMS.data(changes.targets(lambda y: y + 1)),
    ),
    *sick(
        "invalid-labels",
        "missing-as-minus-999",
        bases.RELATION_SPREAD,
        114,
        ("gradient-instability", "abnormal-data"),
        source=bases.RELATION_SPREAD.data(changes.share_of_targets(0.03, -999.0)),
    ),
]

UNINFORMATIVE: list[Recipe] = [
    *sick(
        "uninformative-labels",
        "shuffled",
        bases.COORDINATES_DIGITS,
        116,
        source=bases.COORDINATES_DIGITS.data(changes.shuffled_labels),
    ),
    *sick(
        "uninformative-labels",
        "noise-targets",
        bases.LOOPED_HOUSING.but(optimizer=sgd(0.03)),
        117,
        source=bases.LOOPED_HOUSING.data(changes.noise_targets),
    ),
    *sick(
        "uninformative-labels",
        "shuffled",
        bases.FIELDS_GRADES,
        120,
        source=bases.FIELDS_GRADES.data(changes.shuffled_labels),
    ),
]


def _integers(x: Tensor) -> Tensor:
    """Pictures from 0 to 1 that were stored as whole numbers."""
    return ((x - x.min()) / (x.max() - x.min() + 1)).to(torch.int64).float()


DEAD: list[Recipe] = [
    *sick(
        "dead-input",
        "stored-as-integers",
        bases.COORDINATES_CLOCKS,
        118,
        source=bases.COORDINATES_CLOCKS.data(changes.inputs(_integers)),
    ),
    *sick(
        "dead-input",
        "all-padding",
        bases.LINEAR_COMPARING.but(epochs=5),
        119,
        source=bases.LINEAR_COMPARING.data(changes.inputs(torch.zeros_like)),
    ),
]

RECIPES = ABNORMAL + INVALID + UNINFORMATIVE + DEAD
