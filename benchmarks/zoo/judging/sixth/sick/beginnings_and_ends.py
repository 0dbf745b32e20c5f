"""Weights that start in the wrong place, and runs that stop too soon."""

from __future__ import annotations

from ....faults import Prepare, constant_parameters, normal_weights
from ....optimizers import adam, sgd
from ....plan import Plan
from ....recipe import Recipe, sick
from .. import bases


def _begun(
    plan: Plan, seed: int, form: str, prepare: Prepare, accepted: tuple[str, ...] = ()
) -> list[Recipe]:
    return sick("poor-initialization", form, plan, seed, accepted, prepare=prepare)


INITIALISATION: list[Recipe] = [
    *_begun(bases.POOLED_COLOURS, 150, "constant-0.1", constant_parameters(0.1)),
    *_begun(bases.HYPER_ARMS, 152, "deviation-4", normal_weights(4.0), ("exploding-gradient",)),
]


def _stopped(full: Plan, seed: int, epochs: int) -> list[Recipe]:
    return sick(
        "too-few-steps", f"{epochs}-epochs", full, seed, ("slow-convergence",), epochs=epochs
    )


TOO_FEW: list[Recipe] = [
    *_stopped(bases.HYPER_ARMS.but(optimizer=adam(4e-4), epochs=24), 153, 3),
    *_stopped(bases.WAVED_TERRAIN.but(optimizer=sgd(0.01, 0.9), epochs=24), 154, 3),
]

RECIPES = INITIALISATION + TOO_FEW
