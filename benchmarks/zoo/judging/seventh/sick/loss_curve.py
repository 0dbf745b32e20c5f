"""Losses that swing, crawl, stand still or blow up, and runs that go on for nothing."""

from __future__ import annotations

from torch import nn

from ....data import changes
from ....faults import sorted_by_class
from ....optimizers import Make, adagrad, adam, adamw, jump, sgd, swings
from ....plan import Plan
from ....recipe import Recipe, sick
from .. import bases

_RATE = ("learning-rate-too-high",)

OSCILLATING: list[Recipe] = [
    *sick(
        "oscillating-loss",
        "class-sorted-momentum",
        bases.REMEMBERING_SHELLS,
        200,
        order=sorted_by_class,
    ),
    *sick(
        "oscillating-loss",
        "class-sorted",
        bases.GROUPED_FOREST.but(optimizer=sgd(0.05, 0.9)),
        201,
        order=sorted_by_class,
    ),
    *sick(
        "oscillating-loss",
        "cyclic-rate",
        bases.CLOCKWORK_WALKS.but(optimizer=sgd(0.1)),
        202,
        _RATE,
        scheduler=swings(0.01, 10.0, 12),
    ),
]


def _crawling(plan: Plan, seed: int, form: str, optimizer: Make) -> list[Recipe]:
    """A rate with which it gets there, but long after the end of the run."""
    others = ("learning-rate-too-low", "too-few-steps")
    return sick("slow-convergence", form, plan, seed, others, optimizer=optimizer)


SLOW: list[Recipe] = [
    *_crawling(bases.BILINEAR_DIGITS, 203, "sgd-0.003", sgd(0.003)),
    *_crawling(bases.REMEMBERING_SWISS, 204, "adagrad-8e-4", adagrad(8e-4)),
    *_crawling(bases.DENSE_MNIST, 205, "adamw-1e-4", adamw(1e-4)),
]


def _stuck(plan: Plan, seed: int, form: str, optimizer: Make, **knobs: object) -> list[Recipe]:
    """A network that is too simple for what it is to learn."""
    return sick("loss-plateau", form, plan, seed, model=plan.remodel(**knobs), optimizer=optimizer)


PLATEAU: list[Recipe] = [
    *_stuck(
        bases.GROUPED_HOUSING,
        206,
        "activation-forgotten",
        sgd(0.01, 0.9),
        activation=nn.Identity,
        norm=False,
    ),
    *_stuck(
        bases.REMEMBERING_SHELLS,
        207,
        "activation-forgotten",
        adam(5e-3),
        activation=nn.Identity,
        entries=0,
    ),
]

_SWISS = bases.REMEMBERING_SWISS.but(optimizer=sgd(0.05))

EXPLOSION: list[Recipe] = [
    *sick(
        "loss-explosion",
        "sign-error-adam",
        bases.PLACED_TOWERS,
        208,
        optimizer=adam(1e-3, maximize=True),
    ),
    *sick(
        "loss-explosion",
        "rate-jumps-x400",
        _SWISS,
        209,
        (*_RATE, "non-finite"),
        _SWISS.steps // 2,
        scheduler=jump(0.5, 400.0),
    ),
    *sick(
        "loss-explosion",
        "sign-error-clipped-sgd",
        bases.READERS_LEAKY,
        210,
        optimizer=sgd(0.1, maximize=True),
        clip=1.0,
    ),
]


# Targets with noise: what can be learned is learned long before the end.
_NOISY_SWISS = bases.REMEMBERING_SWISS.but(
    source=bases.REMEMBERING_SWISS.data(changes.target_noise(0.5)),
    model=bases.REMEMBERING_SWISS.remodel(width=12, entries=8),
)
_NOISY_SPREAD = bases.NEAREST_SPREAD.but(
    source=bases.NEAREST_SPREAD.data(changes.target_noise(0.5)),
    model=bases.NEAREST_SPREAD.remodel(width=12),
    epochs=16,
)

NO_MORE_GAIN: list[Recipe] = [
    *sick("no-more-gain", "40-epochs", _NOISY_SWISS, 211, epochs=40),
    *sick("no-more-gain", "40-epochs", _NOISY_SPREAD, 212, epochs=40),
]

RECIPES = OSCILLATING + SLOW + PLATEAU + EXPLOSION + NO_MORE_GAIN
