"""Losses that swing, crawl, stand still or blow up, and runs that go on for nothing."""

from __future__ import annotations

import torch

from ...data import changes
from ...faults import sorted_by_class
from ...optimizers import Make, adam, adamw, jump, rmsprop, sgd, swings
from ...plan import Plan
from ...recipe import Recipe, sick
from .. import bases

_RATE = ("learning-rate-too-high",)
_LOW = ("learning-rate-too-low", "too-few-steps")


def _sorted(plan: Plan, form: str, *seeds: int) -> list[Recipe]:
    return sick("oscillating-loss", f"class-sorted-{form}", plan, seeds, order=sorted_by_class)


def _swinging(plan: Plan, seed: int, form: str, **fault: object) -> list[Recipe]:
    return sick("oscillating-loss", form, plan, seed, _RATE, **fault)


_SHAPES_SGD = bases.VGG_SHAPES.but(optimizer=sgd(0.03))
_DIGITS_SGD = bases.DENSE_DIGITS.but(optimizer=sgd(0.2))

OSCILLATING: list[Recipe] = [
    *_sorted(_SHAPES_SGD, "sgd", 20),
    *_sorted(_DIGITS_SGD, "sgd", 21),
    *_sorted(bases.VIT_DIGITS, "adamw", 22),
    *_swinging(bases.FUNNEL_MOONS, 20, "momentum-0.99", optimizer=sgd(0.3, 0.99)),
    *_swinging(bases.BOTH_MAJORITY, 21, "cyclic-rate", scheduler=swings(1e-3, 0.3, 20)),
]


def _unequal(columns: int) -> torch.Tensor:
    return torch.logspace(0, -2.5, columns)


SLOW: list[Recipe] = [
    *sick("slow-convergence", "sgd-0.01", bases.FUNNEL_MOONS, 20, _LOW, optimizer=sgd(0.01)),
    *sick("slow-convergence", "sgd-0.01", bases.VGG_SHAPES, 22, _LOW, optimizer=sgd(0.01)),
    *sick("slow-convergence", "adam-2e-4", bases.BOTH_MAJORITY, 20, _LOW, optimizer=adam(2e-4)),
    *sick("slow-convergence", "adamw-5e-5", bases.VIT_DIGITS, 21, _LOW, optimizer=adamw(5e-5)),
    *sick(
        "slow-convergence",
        "ill-conditioned-sgd",
        bases.DENSE_FRIEDMAN,
        22,
        ("abnormal-data", *_LOW),
        source=bases.DENSE_FRIEDMAN.data(changes.inputs(lambda x: x * _unequal(10))),
        optimizer=sgd(0.03),
    ),
]


def _stuck(plan: Plan, seed: int, form: str, optimizer: Make, **knobs: object) -> list[Recipe]:
    """A network that is too simple for what it is to learn."""
    return sick("loss-plateau", form, plan, seed, model=plan.remodel(**knobs), optimizer=optimizer)


PLATEAU: list[Recipe] = [
    *_stuck(bases.WIDE_SPIRALS, 20, "linear-model-adam", adam(3e-2), depth=0),
    *_stuck(bases.FUNNEL_MOONS, 21, "linear-model-momentum", sgd(0.05, 0.9), widths=()),
    *_stuck(bases.WIDE_WAVE, 22, "linear-model-rmsprop", rmsprop(1e-2), depth=0),
    *_stuck(bases.DENSE_FRIEDMAN, 20, "linear-model-adam", adam(1e-2), depth=0),
    *_stuck(bases.GRU_MOBY, 21, "one-unit-wide", adam(3e-2), hidden=1),
]

EXPLOSION: list[Recipe] = [
    *sick(
        "loss-explosion",
        "sign-error-sgd",
        bases.FUNNEL_MOONS,
        20,
        optimizer=sgd(0.05, maximize=True),
        clip=1.0,
    ),
    *sick(
        "loss-explosion",
        "sign-error-adam",
        bases.VGG_SHAPES,
        21,
        optimizer=adam(2e-3, maximize=True),
    ),
    *sick(
        "loss-explosion",
        "sign-error-adamw",
        bases.GPT_WIKITEXT,
        22,
        optimizer=adamw(2e-3, maximize=True),
    ),
    *sick("loss-explosion", "adamw-rate-2", bases.FUNNEL_HOUSING, 20, _RATE, optimizer=adamw(2.0)),
    *sick(
        "loss-explosion",
        "rate-jumps-x1000",
        bases.TCN_EXCHANGE,
        21,
        _RATE,
        bases.TCN_EXCHANGE.steps // 2,
        scheduler=jump(0.5, 1000.0),
    ),
]


def _long(plan: Plan, seeds: int | tuple[int, ...], epochs: int) -> list[Recipe]:
    """The same run, for much longer than it has anything to gain."""
    return sick("no-more-gain", f"{epochs}-epochs", plan, seeds, ("overfitting",), epochs=epochs)


_NOISY_MOONS = bases.FUNNEL_MOONS.but(
    source=bases.FUNNEL_MOONS.data(changes.input_noise(0.25)), optimizer=adam(1e-2), epochs=8
)
_QUICK_CANCER = bases.WIDE_CANCER.but(epochs=6)
_QUICK_DIGITS = bases.DENSE_DIGITS.but(source=bases.DENSE_DIGITS.source.sized(640), epochs=8)

NO_MORE_GAIN: list[Recipe] = [
    *_long(_NOISY_MOONS, 20, 32),
    *_long(_QUICK_CANCER, 22, 40),
    *_long(_QUICK_DIGITS, 20, 32),
    *_long(bases.DENSE_FRIEDMAN, 21, 36),
]

RECIPES = OSCILLATING + SLOW + PLATEAU + EXPLOSION + NO_MORE_GAIN
