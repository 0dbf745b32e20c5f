"""Losses that swing, crawl, stand still or blow up, and runs that go on for nothing."""

from __future__ import annotations

from torch import nn

from ....faults import sorted_by_class
from ....optimizers import Make, adagrad, adam, jump, sgd, swings
from ....plan import Plan
from ....recipe import Recipe, sick
from .. import bases

_RATE = ("learning-rate-too-high",)

OSCILLATING: list[Recipe] = [
    *sick(
        "oscillating-loss",
        "class-sorted-momentum",
        bases.POOLED_COLOURS,
        150,
        order=sorted_by_class,
    ),
    *sick(
        "oscillating-loss",
        "cyclic-rate",
        bases.LEAKY_PEAKS.but(optimizer=sgd(0.3)),
        151,
        _RATE,
        scheduler=swings(0.01, 12.0, 10),
    ),
]


def _crawling(plan: Plan, seed: int, form: str, optimizer: Make) -> list[Recipe]:
    """A rate with which it gets there, but long after the end of the run."""
    others = ("learning-rate-too-low", "too-few-steps")
    return sick("slow-convergence", form, plan, seed, others, optimizer=optimizer)


SLOW: list[Recipe] = [
    *_crawling(bases.WAVED_TERRAIN, 153, "sgd-0.003", sgd(0.003)),
    *_crawling(bases.HYPER_ARMS, 155, "adagrad-5e-4", adagrad(5e-4)),
]


def _stuck(plan: Plan, seed: int, form: str, optimizer: Make, **knobs: object) -> list[Recipe]:
    """A network that is too simple for what it is to learn."""
    return sick("loss-plateau", form, plan, seed, model=plan.remodel(**knobs), optimizer=optimizer)


PLATEAU: list[Recipe] = [
    *_stuck(
        bases.FACTORED_FRIEDMAN, 156, "activation-forgotten", adam(5e-3), activation=nn.Identity
    ),
]

_TERRAIN = bases.WAVED_TERRAIN.but(optimizer=sgd(0.05))

EXPLOSION: list[Recipe] = [
    *sick(
        "loss-explosion",
        "sign-error-adam",
        bases.LEAKY_PEAKS,
        158,
        optimizer=adam(5e-3, maximize=True),
    ),
    *sick(
        "loss-explosion",
        "rate-jumps-x300",
        _TERRAIN,
        159,
        (*_RATE, "non-finite"),
        _TERRAIN.steps // 2,
        scheduler=jump(0.5, 300.0),
    ),
    *sick(
        "loss-explosion",
        "sign-error-clipped-sgd",
        bases.HYPER_ARMS,
        160,
        optimizer=sgd(0.1, maximize=True),
        clip=1.0,
    ),
]


NO_MORE_GAIN: list[Recipe] = [
    *sick(
        "no-more-gain",
        "60-epochs",
        bases.POOLED_SPREAD.but(source=bases.POOLED_SPREAD.source.sized(480)),
        161,
        epochs=60,
    ),
]

RECIPES = OSCILLATING + SLOW + PLATEAU + EXPLOSION + NO_MORE_GAIN
