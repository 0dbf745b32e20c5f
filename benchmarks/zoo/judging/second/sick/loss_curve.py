"""Losses that swing, crawl, stand still or blow up, and runs that go on for nothing."""

from __future__ import annotations

from ....data import changes
from ....faults import sorted_by_class
from ....optimizers import Make, adam, adamw, jump, sgd, swings
from ....plan import Plan
from ....recipe import Recipe, sick
from .. import bases

_RATE = ("learning-rate-too-high",)
_LOW = ("learning-rate-too-low", "too-few-steps")


def _sorted(plan: Plan, form: str, seed: int) -> list[Recipe]:
    return sick("oscillating-loss", f"class-sorted-{form}", plan, seed, order=sorted_by_class)


OSCILLATING: list[Recipe] = [
    *_sorted(bases.LENET_DIGITS.but(optimizer=sgd(0.2)), "sgd", 40),
    *_sorted(bases.SETS_COLOURS.but(optimizer=sgd(0.1)), "sgd", 41),
    *sick(
        "oscillating-loss",
        "momentum-0.99",
        bases.HIGHWAY_SHELLS,
        42,
        _RATE,
        optimizer=sgd(0.05, 0.99),
    ),
    *sick(
        "oscillating-loss",
        "cyclic-rate",
        bases.MAXOUT_CHECKERS,
        43,
        _RATE,
        scheduler=swings(1e-3, 0.3, 24),
    ),
]

SLOW: list[Recipe] = [
    *sick("slow-convergence", "adam-2e-4", bases.LENET_DIGITS, 40, _LOW, optimizer=adam(2e-4)),
    *sick("slow-convergence", "adam-2e-4", bases.TOWERS_PAIRS, 41, _LOW, optimizer=adam(2e-4)),
    *sick("slow-convergence", "adam-5e-4", bases.GRU_ADDING, 42, _LOW, optimizer=adam(5e-4)),
]


def _stuck(plan: Plan, seed: int, form: str, optimizer: Make, **knobs: object) -> list[Recipe]:
    """A network that is too simple for what it is to learn."""
    return sick("loss-plateau", form, plan, seed, model=plan.remodel(**knobs), optimizer=optimizer)


PLATEAU: list[Recipe] = [
    *_stuck(bases.MAXOUT_CHECKERS, 40, "one-piece-adam", adam(1e-2), pieces=1),
    *_stuck(bases.HIGHWAY_SHELLS, 41, "linear-model-momentum", sgd(0.05, 0.9), depth=0),
    *_stuck(bases.WIDE_HASTIE, 42, "linear-model-adam", adam(3e-2), depth=0),
]

EXPLOSION: list[Recipe] = [
    *sick(
        "loss-explosion",
        "sign-error-adam",
        bases.TOWERS_PAIRS,
        40,
        optimizer=adam(2e-3, maximize=True),
    ),
    *sick(
        "loss-explosion",
        "sign-error-momentum",
        bases.LENET_DIGITS,
        41,
        optimizer=sgd(0.05, 0.9, maximize=True),
    ),
    *sick("loss-explosion", "adamw-rate-2", bases.MAXOUT_CIRCUIT, 42, _RATE, optimizer=adamw(2.0)),
    *sick(
        "loss-explosion",
        "rate-jumps-x1000",
        bases.HIGHWAY_SWISS,
        43,
        _RATE,
        bases.HIGHWAY_SWISS.steps // 2,
        scheduler=jump(0.5, 1000.0),
    ),
]


def _long(plan: Plan, seed: int, epochs: int) -> list[Recipe]:
    """The same run, for much longer than it has anything to gain."""
    return sick("no-more-gain", f"{epochs}-epochs", plan, seed, ("overfitting",), epochs=epochs)


_NOISY_SHELLS = bases.HIGHWAY_SHELLS.but(
    source=bases.HIGHWAY_SHELLS.data(changes.wrong_labels(0.15)), optimizer=adam(1e-2), epochs=8
)

NO_MORE_GAIN: list[Recipe] = [
    *_long(_NOISY_SHELLS, 40, 32),
    *_long(bases.MAXOUT_CIRCUIT, 41, 48),
    *_long(bases.TOWERS_PAIRS.but(optimizer=adam(3e-3)), 42, 32),
]

RECIPES = OSCILLATING + SLOW + PLATEAU + EXPLOSION + NO_MORE_GAIN
