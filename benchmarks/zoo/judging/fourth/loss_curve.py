"""Losses that stand still or swing, and runs that go on for nothing."""

from __future__ import annotations

from functools import partial

import torch.nn.functional as F

from ...data.more_points import checkers
from ...faults import sorted_by_class
from ...optimizers import Make, adam, sgd
from ...plan import Plan
from ...recipe import Recipe, sick
from ..third import bases
from ..third.networks.tables import gated


def _stuck(plan: Plan, seed: int, form: str, optimizer: Make, **knobs: object) -> list[Recipe]:
    """A network that is too simple for what it is to learn."""
    return sick("loss-plateau", form, plan, seed, model=plan.remodel(**knobs), optimizer=optimizer)


_GATED_TERRAIN = bases.SINES_TERRAIN.but(
    architecture="gated-fc", model=partial(gated, 2, 1), optimizer=adam(5e-3)
)
_GATED_CHECKERS = _GATED_TERRAIN.but(
    source=checkers(), model=partial(gated, 2, 2), loss=F.cross_entropy, scoring="classes"
)

PLATEAU: list[Recipe] = [
    *_stuck(_GATED_TERRAIN, 90, "linear-model", sgd(0.05), depth=0),
    *_stuck(_GATED_CHECKERS, 91, "linear-model", adam(1e-2), depth=0),
    *_stuck(bases.WAVES_RHYTHMS, 92, "one-channel-wide", adam(1e-2), width=1, layers=1),
    *_stuck(bases.STATES_BRACKETS, 94, "one-unit-wide", adam(2e-2), width=1),
]

OSCILLATING: list[Recipe] = [
    *sick(
        "oscillating-loss", "class-sorted-adam", bases.PROTOTYPES_DIGITS, 90, order=sorted_by_class
    ),
]


def _long(plan: Plan, seed: int, epochs: int) -> list[Recipe]:
    """The same run, for much longer than it has anything to gain."""
    return sick("no-more-gain", f"{epochs}-epochs", plan, seed, ("overfitting",), epochs=epochs)


NO_MORE_GAIN: list[Recipe] = [
    *_long(bases.GATED_WAITS.but(scheduler=None, optimizer=adam(5e-3)), 90, 40),
]

RECIPES = PLATEAU + OSCILLATING + NO_MORE_GAIN
