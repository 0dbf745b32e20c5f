"""Inputs and labels that are abnormal, invalid, useless or missing."""

from __future__ import annotations

import math
from functools import partial

import torch
from torch import Tensor

from ...data import changes
from ...faults import first_target_for_all, masked
from ...optimizers import sgd
from ...plan import Plan
from ...recipe import Recipe, sick
from .. import bases

_FOREST_SGD = bases.FUNNEL_FOREST.but(optimizer=sgd(0.05, 0.9))
_SHAPES_SGD = bases.VGG_SHAPES.but(optimizer=sgd(0.03, 0.9))
_NAN = ("non-finite",)
_USELESS = ("uninformative-labels",)


def _abnormal(
    plan: Plan,
    seeds: int | tuple[int, ...],
    form: str,
    change: changes.Change,
    accepted: tuple[str, ...] = (),
) -> list[Recipe]:
    return sick("abnormal-data", form, plan, seeds, accepted, source=plan.data(change))


ABNORMAL: list[Recipe] = [
    *_abnormal(_FOREST_SGD, 20, "not-normalised-x100", changes.scaled(100.0, 300.0), _NAN),
    *_abnormal(_SHAPES_SGD, 22, "not-normalised-x80", changes.scaled(80.0, 128.0), _NAN),
    *_abnormal(bases.FUNNEL_HOUSING, 20, "one-feature-x1e6", changes.one_feature_scaled(4, 1e6)),
    *_abnormal(bases.TCN_EXCHANGE, 21, "outliers-1e5", changes.outliers(0.01, 1e5)),
    *_abnormal(bases.GRU_LEAKY, 22, "few-nan", changes.outliers(0.01, math.nan), _NAN),
    *_abnormal(bases.MIXER_STRIPES, 20, "inputs-x1e4", changes.scaled(1e4, 1e4)),
]


def _invalid(
    plan: Plan,
    seeds: int | tuple[int, ...],
    form: str,
    change: changes.Change,
    accepted: tuple[str, ...] = (),
) -> list[Recipe]:
    return sick("invalid-labels", form, plan, seeds, accepted, source=plan.data(change))


def _only(label: int) -> changes.Change:
    return changes.train_targets(partial(torch.full_like, fill_value=label))


INVALID: list[Recipe] = [
    *_invalid(bases.DENSE_DIGITS, 20, "mostly-ignored", changes.share_of_targets(0.96, -100)),
    *_invalid(bases.VGG_SHAPES, 21, "one-class-only", _only(2)),
    *_invalid(bases.VIT_STRIPES, 22, "one-class-only", _only(5)),
    *_invalid(bases.WIDE_CANCER, 20, "binary-labels-1-2", changes.train_targets(lambda y: y + 1)),
    *_invalid(
        bases.TEXT_CNN_IMDB,
        21,
        "binary-labels-minus1-1",
        changes.train_targets(lambda y: 2 * y - 1),
    ),
    *_invalid(
        bases.FUNNEL_HOUSING,
        22,
        "few-nan-targets",
        changes.share_of_targets(0.01, math.nan),
        _NAN,
    ),
    *sick(
        "invalid-labels",
        "first-label-for-the-batch",
        bases.BOTH_MAJORITY,
        20,
        _USELESS,
        tamper=first_target_for_all,
    ),
]


def _shuffled(plan: Plan, *seeds: int) -> list[Recipe]:
    return sick(
        "uninformative-labels", "shuffled", plan, seeds, source=plan.data(changes.shuffled_labels)
    )


def _noise(plan: Plan, *seeds: int) -> list[Recipe]:
    return sick(
        "uninformative-labels",
        "noise-targets",
        plan,
        seeds,
        source=plan.data(changes.noise_targets),
    )


UNINFORMATIVE: list[Recipe] = [
    *_shuffled(bases.VGG_MNIST, 20),
    *_shuffled(bases.VIT_DIGITS, 21),
    *_shuffled(bases.FUNNEL_FOREST.but(optimizer=sgd(0.02, 0.9)), 22),
    *_noise(bases.TCN_SINES, 20),
    *_noise(bases.FUNNEL_HOUSING.but(optimizer=sgd(0.03)), 21),
]


def _same(x: Tensor) -> Tensor:
    return x[:1].expand_as(x).clone()


def _dead(
    plan: Plan, seeds: int | tuple[int, ...], form: str, change: changes.Function
) -> list[Recipe]:
    return sick("dead-input", form, plan, seeds, source=plan.data(changes.inputs(change)))


DEAD: list[Recipe] = [
    *_dead(bases.FUNNEL_FOREST, 20, "all-zero", torch.zeros_like),
    *_dead(bases.VGG_SHAPES, 22, "constant", partial(torch.full_like, fill_value=1.5)),
    *_dead(bases.FUNNEL_HOUSING, 20, "same-sample", _same),
    *_dead(bases.TEXT_CNN_REUTERS, 21, "all-padding", torch.zeros_like),
    *sick("dead-input", "masked", bases.VIT_DIGITS, 22, model=masked(bases.VIT_DIGITS.model)),
]

RECIPES = ABNORMAL + INVALID + UNINFORMATIVE + DEAD
