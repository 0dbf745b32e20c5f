"""Losses that swing, crawl, stand still or blow up, and runs that go on for nothing."""

from __future__ import annotations

from functools import partial

from torch import nn

from ....data.measured import ODDS_FEATURES, odds
from ....faults import sorted_by_class
from ....optimizers import Make, adagrad, adam, adamw, fading, jump, rmsprop, sgd, swings
from ....plan import Plan
from ....recipe import Recipe, sick
from .. import bases
from ..networks.tables import splines

_RATE = ("learning-rate-too-high",)
_HEART = ("overfitting",)

OSCILLATING: list[Recipe] = [
    *sick(
        "oscillating-loss",
        "class-sorted-momentum",
        bases.LOOPED_DIGITS,
        110,
        order=sorted_by_class,
    ),
    *sick(
        "oscillating-loss",
        "class-sorted-adamw",
        bases.COORDINATES_TEXTURES,
        111,
        order=sorted_by_class,
    ),
    *sick(
        "oscillating-loss",
        "cyclic-rate",
        bases.COORDINATES_DIGITS.but(optimizer=sgd(0.05)),
        112,
        _RATE,
        scheduler=swings(0.01, 3.0, 10),
    ),
]


def _crawling(plan: Plan, seed: int, form: str, optimizer: Make) -> list[Recipe]:
    """A rate with which it gets there, but long after the end of the run."""
    others = ("learning-rate-too-low", "too-few-steps")
    return sick("slow-convergence", form, plan, seed, others, optimizer=optimizer)


SLOW: list[Recipe] = [
    *_crawling(bases.SPLINES_CIRCUIT, 113, "adam-1e-4", adam(1e-4)),
    *_crawling(bases.LOOPED_DIGITS, 114, "sgd-0.001", sgd(0.001)),
    *_crawling(bases.COORDINATES_CLOCKS, 115, "adagrad-1e-4", adagrad(1e-4)),
    *_crawling(bases.RELATION_SPREAD, 116, "rmsprop-3e-5", rmsprop(3e-5)),
]


def _stuck(plan: Plan, seed: int, form: str, optimizer: Make, **knobs: object) -> list[Recipe]:
    """A network that is too simple for what it is to learn."""
    return sick("loss-plateau", form, plan, seed, model=plan.remodel(**knobs), optimizer=optimizer)


PLATEAU: list[Recipe] = [
    *_stuck(
        bases.LOOPED_SHELLS,
        117,
        "activation-forgotten",
        adam(1e-2),
        activation=nn.Identity,
        norm=False,
    ),
    *_stuck(
        bases.RELATION_SPREAD,
        118,
        "activation-forgotten",
        adamw(3e-3),
        activation=nn.Identity,
    ),
]

_PLAIN_HOUSING = bases.LOOPED_HOUSING.but(model=bases.LOOPED_HOUSING.remodel(norm=False))

EXPLOSION: list[Recipe] = [
    *sick(
        "loss-explosion",
        "sign-error-adam",
        bases.LOOPED_SHELLS,
        119,
        optimizer=adam(3e-3, maximize=True),
    ),
    *sick(
        "loss-explosion",
        "sign-error-clipped-sgd",
        bases.COORDINATES_DIGITS,
        120,
        optimizer=sgd(0.05, maximize=True),
        clip=1.0,
    ),
    *sick(
        "loss-explosion",
        "rate-jumps-x500",
        _PLAIN_HOUSING,
        121,
        _RATE,
        _PLAIN_HOUSING.steps // 2,
        scheduler=jump(0.5, 500.0),
    ),
    *sick(
        "loss-explosion",
        "rate-grows-instead-of-fading",
        bases.RELATION_SPREAD.but(optimizer=adam(1e-3), epochs=10),
        122,
        _RATE,
        150,
        scheduler=fading(1e6),
    ),
]


def _long(
    plan: Plan, seed: int, epochs: int, accepted: tuple[str, ...] = (), **same: object
) -> list[Recipe]:
    """The same run, for much longer than it has anything to gain."""
    plan = plan.but(**same)
    return sick("no-more-gain", f"{epochs}-epochs", plan, seed, accepted, epochs=epochs)


_ODDS = bases.SPLINES_SHELLS.but(
    source=odds(640),
    model=partial(splines, ODDS_FEATURES, 3, width=8, knots=4),
    optimizer=adam(5e-3),
)

NO_MORE_GAIN: list[Recipe] = [
    *_long(bases.RELATION_LISTS, 123, 40, source=bases.RELATION_LISTS.source.sized(640)),
    *_long(_ODDS, 124, 36, _HEART),
    *_long(bases.QUASI_LEVELS, 125, 32, source=bases.QUASI_LEVELS.source.sized(480)),
    *_long(
        bases.COORDINATES_DIGITS,
        126,
        40,
        _HEART,
        optimizer=adam(3e-3),
        source=bases.COORDINATES_DIGITS.source.sized(640),
    ),
]

RECIPES = OSCILLATING + SLOW + PLATEAU + EXPLOSION + NO_MORE_GAIN
