"""Inputs and labels that are abnormal, invalid, useless or missing."""

from __future__ import annotations

import math
from functools import partial

import torch
from torch import Tensor

from ... import bases as first
from ...data import changes
from ...data.texts import UNKNOWN
from ...faults import masked
from ...judging.second import bases as second
from ...optimizers import sgd
from ...plan import Batch, Plan
from ...recipe import Recipe, sick
from .. import bases

_NAN = ("non-finite",)


def _with_time(x: Tensor) -> Tensor:
    """The last feature is a time in seconds since 1970."""
    x = x.clone()
    x[:, -1] = 1.6e9 + 3e7 * x[:, -1]
    return x


def _bytes(x: Tensor) -> Tensor:
    """Pictures as they are in the file."""
    return ((x - x.min()) / (x.max() - x.min()) * 255).round()


def _abnormal(
    plan: Plan, seed: int, form: str, change: changes.Change, accepted: tuple[str, ...] = ()
) -> list[Recipe]:
    return sick("abnormal-data", form, plan, seed, accepted, source=plan.data(change))


ABNORMAL: list[Recipe] = [
    *_abnormal(bases.FC_HEAVY, 10, "seconds-since-1970", changes.inputs(_with_time)),
    *_abnormal(
        bases.LINEAR_DIGITS.but(optimizer=sgd(0.1)), 3, "bytes", changes.inputs(_bytes), _NAN
    ),
    *_abnormal(bases.FC_RARE, 7, "missing-as-1e9", changes.outliers(0.03, 1e9)),
    *_abnormal(bases.HOURGLASS_MASKS, 2, "few-nan", changes.outliers(0.02, math.nan), _NAN),
]


def _shifted_up(y: Tensor) -> Tensor:
    """Yes and no as 1 and 2, as a spreadsheet has them."""
    return y + 1


INVALID: list[Recipe] = [
    *sick(
        "invalid-labels",
        "missing-as-minus-999",
        first.FC_FRIEDMAN,
        3,
        ("gradient-instability", "abnormal-data"),
        source=first.FC_FRIEDMAN.data(changes.share_of_targets(0.02, -999.0)),
    ),
    *sick(
        "invalid-labels",
        "binary-labels-1-2",
        bases.LINEAR_COINS,
        7,
        source=bases.LINEAR_COINS.data(changes.train_targets(_shifted_up)),
    ),
    *sick(
        "invalid-labels",
        "one-class-only",
        bases.CRNN_DIGITS,
        5,
        source=bases.CRNN_DIGITS.data(changes.train_targets(torch.zeros_like)),
    ),
]


def _misaligned(step: int, batch: Batch) -> Batch:
    """Inputs and targets were shuffled apart."""
    del step
    inputs, targets = batch
    return inputs, targets[torch.randperm(len(targets))]


UNINFORMATIVE: list[Recipe] = [
    *sick("uninformative-labels", "shuffled-apart", bases.CRNN_DIGITS, 6, tamper=_misaligned),
    *sick(
        "uninformative-labels",
        "shuffled",
        bases.GRAPH_GRAPHS,
        5,
        source=bases.GRAPH_GRAPHS.data(changes.shuffled_labels),
    ),
    *sick(
        "uninformative-labels",
        "shuffled",
        bases.FC_RARE.but(optimizer=sgd(0.05)),
        8,
        source=bases.FC_RARE.data(changes.shuffled_labels),
    ),
]


def _dead(plan: Plan, seed: int, form: str, change: changes.Function) -> list[Recipe]:
    return sick("dead-input", form, plan, seed, source=plan.data(changes.inputs(change)))


DEAD: list[Recipe] = [
    *_dead(first.FC_REUTERS, 1, "all-unknown", partial(torch.full_like, fill_value=UNKNOWN)),
    *_dead(bases.GRAPH_GRAPHS, 6, "all-zero", torch.zeros_like),
    *sick("dead-input", "masked", bases.CRNN_DIGITS, 7, model=masked(bases.CRNN_DIGITS.model)),
    *_dead(second.TCN_SIGNALS, 4, "constant", partial(torch.full_like, fill_value=1.0)),
]

RECIPES = ABNORMAL + INVALID + UNINFORMATIVE + DEAD
