"""Losses of counts, times, ranks, orders, mixtures and quantiles, and labels that are not sure."""

from __future__ import annotations

from functools import partial

import torch
from torch import Tensor, nn

from ... import bases as first
from ...data import changes
from ...data.composed import LIFE_FEATURES, LIST_FEATURES, lifetimes, lists
from ...data.measured import (
    ALARM_FEATURES,
    GRADE_FEATURES,
    GRADES,
    ODDS_FEATURES,
    SALE_FEATURES,
    WAIT_FEATURES,
    alarms,
    grades,
    odds,
    sales,
    waits,
)
from ...data.points import TAGS, housing, tags, wave
from ...data.source import Source
from ...models import mlp
from ...optimizers import adam, adamw, cosine, sgd
from ...plan import Plan
from ...recipe import Recipe, healthy
from .. import bases
from ..likelihoods import (
    BalancedFocal,
    BetterOfTwo,
    Brier,
    Dispersed,
    FirstToEnd,
    Forgiving,
    Mixture,
    Steps,
    ThreeQuantiles,
    Waiting,
)
from ..shapes import Times


def _likelihood(source: Source, inputs: int, outputs: int, loss: nn.Module, rate: float) -> Plan:
    return Plan(
        "fc",
        source,
        partial(mlp, inputs, outputs),
        loss,
        adam(rate),
        "none",
        epochs=8,
        report="loss",
    )


def _oversampled(targets: Tensor, generator: torch.Generator) -> Tensor:
    """Samples are drawn so that both classes come equally often."""
    counts = torch.bincount(targets.flatten().long()).float()
    weights = 1 / counts[targets.flatten().long()]
    return torch.multinomial(weights, len(weights), replacement=True, generator=generator)


LIKELIHOODS: list[Recipe] = [
    *healthy(
        "negative-binomial",
        bases.FC_COUNTS.but(
            model=partial(mlp, 6, 2, hidden=16), loss=Dispersed(), optimizer=adam(2e-3), epochs=8
        ),
        2,
    ),
    *healthy("exponential", _likelihood(waits(), WAIT_FEATURES, 1, Waiting(), 2e-3), 0),
    *healthy(
        "exponential-batch-8",
        _likelihood(waits(1280), WAIT_FEATURES, 1, Waiting(), 5e-4).but(batch=8, epochs=4),
        1,
    ),
    *healthy("cox", _likelihood(lifetimes(), LIFE_FEATURES, 1, FirstToEnd(), 1e-3), 0),
    *healthy("rank-pairs", _likelihood(lists(), LIST_FEATURES, 1, BetterOfTwo(), 2e-3), 0),
    *healthy(
        "rank-pairs-sgd",
        _likelihood(lists(640), LIST_FEATURES, 1, BetterOfTwo(), 2e-3).but(
            optimizer=sgd(0.05, 0.9), batch=16
        ),
        1,
    ),
    *healthy(
        "ordered-classes", _likelihood(grades(), GRADE_FEATURES, GRADES - 1, Steps(), 3e-3), 0
    ),
    *healthy(
        "mixture",
        _likelihood(wave(1280).changed(changes.target_noise(0.2)), 1, 9, Mixture(), 5e-3).but(
            epochs=12, scheduler=cosine()
        ),
        0,
    ),
    *healthy(
        "three-quantiles",
        _likelihood(housing(1280), 8, 3, ThreeQuantiles(), 2e-3).but(scheduler=cosine()),
        0,
    ),
    *healthy(
        "log-of-sums",
        _likelihood(
            sales().changed(changes.targets(torch.log)), SALE_FEATURES, 1, nn.SmoothL1Loss(), 2e-3
        ).but(scoring="regression", model=partial(mlp, SALE_FEATURES, 1, hidden=16)),
        0,
    ),
]

_ODDS = Plan(
    "fc",
    odds(),
    partial(mlp, ODDS_FEATURES, 3, hidden=24, activation=nn.Tanh),
    nn.CrossEntropyLoss(),
    adam(3e-3),
    "classes",
    epochs=8,
)
_ALARMS = Plan(
    "fc",
    alarms(),
    partial(mlp, ALARM_FEATURES, 1, hidden=24),
    BalancedFocal(),
    adam(3e-3),
    "logits",
    epochs=8,
    scheduler=cosine(),
)
_TAGS = Plan(
    "fc",
    tags(1920),
    partial(mlp, 30, TAGS, hidden=24, dropout=0.2),
    nn.BCEWithLogitsLoss(),
    adamw(3e-3, weight_decay=0.05),
    "logits",
    epochs=7,
    scheduler=cosine(),
)


def _both_of_two(y: Tensor) -> Tensor:
    """Labels that are given only where the next one is given too, so that they are rare."""
    return y * y.roll(1, 1)


UNSURE: list[Recipe] = [
    *healthy("odds-tanh", _ODDS, 0),
    *healthy("odds-brier", _ODDS.but(loss=Brier(), optimizer=sgd(0.1, 0.9)), 1),
    *healthy("balanced-focal", _ALARMS, 0),
    *healthy(
        "weighted-positives",
        _ALARMS.but(
            loss=nn.BCEWithLogitsLoss(pos_weight=torch.tensor([10.0])),
            optimizer=adam(2e-3),
            hand_in_loss=True,
        ),
        1,
    ),
    *healthy(
        "oversampled",
        bases.FC_RARE.but(
            model=bases.FC_RARE.remodel(hidden=8, depth=1), order=_oversampled, epochs=6
        ),
        4,
    ),
    *healthy(
        "oversampled",
        bases.FC_RARE.but(
            source=alarms().changed(changes.targets(lambda y: y.flatten().long())),
            model=partial(mlp, ALARM_FEATURES, 2, hidden=16),
            order=_oversampled,
            optimizer=adam(3e-3),
            scheduler=cosine(),
        ),
        5,
    ),
    *healthy("several-labels", _TAGS, 0),
    *healthy(
        "rare-labels",
        _TAGS.but(
            source=tags(1920).changed(changes.targets(_both_of_two)),
            loss=nn.BCEWithLogitsLoss(pos_weight=torch.full((TAGS,), 3.0)),
        ),
        1,
    ),
    *healthy(
        "class-weights",
        first.FC_REUTERS.but(
            loss=nn.CrossEntropyLoss(weight=torch.tensor([0.3, 0.4, 1, 1, 1.5, 1.5, 2, 2])),
            model=first.FC_REUTERS.remodel(dropout=0.4),
            optimizer=adam(6e-3, weight_decay=3e-4),
            scheduler=cosine(),
        ),
        1,
    ),
    *healthy(
        "labels-20-percent-wrong",
        first.FC_DIGITS.but(
            source=first.FC_DIGITS.data(changes.wrong_labels(0.2)),
            model=first.FC_DIGITS.remodel(hidden=24, depth=1),
            epochs=7,
            optimizer=adam(3e-3),
        ),
        0,
    ),
    *healthy(
        "labels-20-percent-wrong-forgiving",
        first.CNN_MNIST.but(
            source=first.CNN_MNIST.data(changes.wrong_labels(0.2)), loss=Forgiving(), epochs=8
        ),
        14,
    ),
    *healthy(
        "labels-30-percent-wrong-smoothed",
        first.FC_BLOBS.but(
            source=first.FC_BLOBS.data(changes.wrong_labels(0.3)),
            loss=nn.CrossEntropyLoss(label_smoothing=0.1),
            optimizer=sgd(0.02, 0.9),
            epochs=8,
        ),
        3,
    ),
]

FLOORS: list[Recipe] = [
    *healthy(
        "half-is-noise",
        bases.LINEAR_LINES.but(
            source=bases.LINEAR_LINES.data(changes.target_noise(0.95)),
            optimizer=sgd(0.02),
            epochs=8,
        ),
        8,
    ),
    *healthy(
        "half-is-noise-adam",
        first.FC_FRIEDMAN.but(
            source=first.FC_FRIEDMAN.source.sized(2880).changed(changes.target_noise(0.8)),
            model=first.FC_FRIEDMAN.remodel(hidden=16),
            optimizer=adam(4e-3),
            scheduler=cosine(),
            epochs=6,
        ),
        0,
    ),
    *healthy(
        "own-units",
        first.FC_FRIEDMAN.but(
            source=first.FC_FRIEDMAN.data(changes.target_scaled(1e4, 3e4)),
            model=lambda: nn.Sequential(*mlp(10, 1), Times(1e4)),
            optimizer=adam(8e-3),
            report="loss",
        ),
        1,
    ),
    *healthy(
        "tiny-units",
        first.FC_FRIEDMAN.but(
            source=first.FC_FRIEDMAN.data(changes.target_scaled(1e-5)),
            model=lambda: nn.Sequential(*mlp(10, 1), Times(1e-5)),
            loss=nn.L1Loss(),
            optimizer=adam(5e-3),
        ),
        2,
    ),
    *healthy(
        "offset-10",
        first.FC_FRIEDMAN.but(
            source=first.FC_FRIEDMAN.data(changes.target_scaled(1.0, 10.0)),
            optimizer=sgd(0.01, 0.9),
        ),
        3,
    ),
]

RECIPES = LIKELIHOODS + UNSURE + FLOORS
