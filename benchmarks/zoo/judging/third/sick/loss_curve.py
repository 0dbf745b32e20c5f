"""Losses that swing, crawl, stand still or blow up, and runs that go on for nothing."""

from __future__ import annotations

from functools import partial

from torch import nn

from ....data import changes
from ....faults import sorted_by_class
from ....optimizers import Make, adam, adamw, jump, sgd, swings
from ....plan import Plan
from ....recipe import Recipe, sick
from ... import bases as first
from .. import bases
from ..networks.tables import Additive

_RATE = ("learning-rate-too-high",)
_LOW = ("learning-rate-too-low", "too-few-steps")


def _sorted(plan: Plan, form: str, seed: int) -> list[Recipe]:
    return sick("oscillating-loss", f"class-sorted-{form}", plan, seed, order=sorted_by_class)


OSCILLATING: list[Recipe] = [
    *_sorted(bases.ASKING_DIGITS, "adam", 60),
    *_sorted(bases.KERNELS_DIGITS.but(epochs=7), "adamw", 61),
    *_sorted(bases.SQUEEZED_MNIST.but(optimizer=sgd(0.1)), "sgd", 62),
    *sick(
        "oscillating-loss",
        "cyclic-rate",
        bases.WAVES_RHYTHMS,
        64,
        _RATE,
        scheduler=swings(1e-3, 0.2, 20),
    ),
]

SLOW: list[Recipe] = [
    *sick("slow-convergence", "adam-2e-4", bases.CROSSED_FOREST, 60, _LOW, optimizer=adam(2e-4)),
    *sick("slow-convergence", "adam-1e-4", bases.GRAPH_MOLECULES, 61, _LOW, optimizer=adam(1e-4)),
    *sick("slow-convergence", "sgd-0.003", bases.SQUEEZED_MNIST, 62, _LOW, optimizer=sgd(0.003)),
    *sick(
        "slow-convergence", "adamw-1e-4", bases.POINTER_POINTING, 63, _LOW, optimizer=adamw(1e-4)
    ),
]


def _stuck(plan: Plan, seed: int, form: str, optimizer: Make, model: object) -> list[Recipe]:
    """A network that is too simple for what it is to learn."""
    return sick("loss-plateau", form, plan, seed, model=model, optimizer=optimizer)


PLATEAU: list[Recipe] = [
    *_stuck(bases.SINES_TERRAIN, 60, "linear-model", sgd(0.05), partial(nn.Linear, 2, 1)),
    *_stuck(first.WIDE_SPIRALS, 62, "linear-model", adam(2e-2), partial(nn.Linear, 2, 3)),
    *_stuck(
        bases.SINES_TERRAIN, 63, "sum-of-curves", adam(1e-2), partial(Additive, 2, 1, width=16)
    ),
]

EXPLOSION: list[Recipe] = [
    *sick(
        "loss-explosion",
        "sign-error-adam",
        bases.CROSSED_FOREST,
        60,
        optimizer=adam(2e-3, maximize=True),
    ),
    *sick(
        "loss-explosion",
        "sign-error-sgd",
        bases.POINTER_POINTING,
        61,
        optimizer=sgd(0.02, maximize=True),
        clip=1.0,
    ),
    *sick("loss-explosion", "adam-rate-2", bases.GATED_HOUSING, 62, _RATE, optimizer=adam(2.0)),
    *sick(
        "loss-explosion",
        "rate-jumps-x1000",
        bases.GRAPH_MOLECULES.but(scheduler=None),
        63,
        _RATE,
        bases.GRAPH_MOLECULES.steps // 2,
        scheduler=jump(0.5, 1000.0),
    ),
    *sick(
        "loss-explosion",
        "sign-error-adamw",
        bases.WAVES_CRITICS,
        64,
        optimizer=adamw(5e-3, maximize=True),
    ),
]


def _long(plan: Plan, seed: int, epochs: int) -> list[Recipe]:
    """The same run, for much longer than it has anything to gain."""
    return sick("no-more-gain", f"{epochs}-epochs", plan, seed, ("overfitting",), epochs=epochs)


_SMALL_FOREST = bases.CROSSED_FOREST.but(
    source=bases.CROSSED_FOREST.data(changes.wrong_labels(0.1)).sized(640), optimizer=adam(5e-3)
)

NO_MORE_GAIN: list[Recipe] = [
    *_long(_SMALL_FOREST, 60, 40),
    *_long(bases.ADDITIVE_CIRCUIT.but(optimizer=adam(1e-2)), 61, 45),
    *_long(bases.GATED_GRADES.but(optimizer=adam(3e-3)), 62, 30),
    *_long(
        bases.PROTOTYPES_DIGITS.but(
            source=bases.PROTOTYPES_DIGITS.source.sized(480), optimizer=adam(5e-3)
        ),
        63,
        40,
    ),
]

RECIPES = OSCILLATING + SLOW + PLATEAU + EXPLOSION + NO_MORE_GAIN
