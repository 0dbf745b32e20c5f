"""Inputs and labels that are abnormal, invalid, useless or missing."""

from __future__ import annotations

import math
from functools import partial

import torch
from torch import Tensor

from ....data import changes
from ....faults import masked
from ....optimizers import sgd
from ....plan import Plan
from ....recipe import Recipe, sick
from .. import bases

_NAN = ("non-finite",)
_SHELLS_PLAIN = bases.HIGHWAY_SHELLS.but(optimizer=sgd(0.1))
_COLOURS_SHORT = bases.SETS_COLOURS.but(epochs=9)


def _abnormal(
    plan: Plan,
    seed: int,
    form: str,
    change: changes.Change,
    accepted: tuple[str, ...] = (),
) -> list[Recipe]:
    return sick("abnormal-data", form, plan, seed, accepted, source=plan.data(change))


ABNORMAL: list[Recipe] = [
    *_abnormal(_COLOURS_SHORT, 40, "not-normalised-x200", changes.scaled(200.0, 500.0), _NAN),
    *_abnormal(bases.HIGHWAY_SWISS, 41, "one-feature-x1e6", changes.one_feature_scaled(1, 1e6)),
    *_abnormal(bases.MAXOUT_CIRCUIT, 42, "outliers-1e5", changes.outliers(0.01, 1e5)),
    *_abnormal(bases.TOWERS_PAIRS, 43, "few-nan", changes.outliers(0.01, math.nan), _NAN),
]


def _invalid(
    plan: Plan,
    seed: int,
    form: str,
    change: changes.Change,
    accepted: tuple[str, ...] = (),
) -> list[Recipe]:
    return sick("invalid-labels", form, plan, seed, accepted, source=plan.data(change))


INVALID: list[Recipe] = [
    *_invalid(
        bases.INCEPTION_STRIPES,
        40,
        "one-class-only",
        changes.train_targets(partial(torch.full_like, fill_value=3)),
    ),
    *_invalid(bases.TOWERS_PAIRS, 41, "binary-labels-1-2", changes.train_targets(lambda y: y + 1)),
    *_invalid(
        bases.HIGHWAY_SWISS,
        42,
        "few-nan-targets",
        changes.share_of_targets(0.01, math.nan),
        _NAN,
    ),
]


def _without_truth(plan: Plan, seed: int, form: str, change: changes.Change) -> list[Recipe]:
    return sick("uninformative-labels", form, plan, seed, source=plan.data(change))


UNINFORMATIVE: list[Recipe] = [
    *_without_truth(bases.LENET_DIGITS, 40, "shuffled", changes.shuffled_labels),
    *_without_truth(_SHELLS_PLAIN, 41, "shuffled", changes.shuffled_labels),
    *_without_truth(bases.GRU_ADDING, 42, "noise-targets", changes.noise_targets),
]


def _same(x: Tensor) -> Tensor:
    return x[:1].expand_as(x).clone()


def _dead(plan: Plan, seed: int, form: str, change: changes.Function) -> list[Recipe]:
    return sick("dead-input", form, plan, seed, source=plan.data(changes.inputs(change)))


DEAD: list[Recipe] = [
    *_dead(bases.INCEPTION_STRIPES, 40, "all-zero", torch.zeros_like),
    *_dead(bases.MAXOUT_HASTIE, 41, "constant", partial(torch.full_like, fill_value=0.7)),
    *_dead(bases.SETS_SPREAD, 42, "same-sample", _same),
    *sick("dead-input", "masked", bases.TOWERS_PAIRS, 43, model=masked(bases.TOWERS_PAIRS.model)),
]

RECIPES = ABNORMAL + INVALID + UNINFORMATIVE + DEAD
