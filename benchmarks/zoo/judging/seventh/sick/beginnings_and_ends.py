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
    *_begun(bases.PLACED_TOWERS, 200, "constant-0.05", constant_parameters(0.05)),
    *_begun(bases.NEAREST_NEEDLES, 201, "constant-0.1", constant_parameters(0.1)),
    *_begun(
        bases.REMEMBERING_SHELLS, 202, "deviation-5", normal_weights(5.0), ("exploding-gradient",)
    ),
]


def _stopped(full: Plan, seed: int, epochs: int) -> list[Recipe]:
    return sick(
        "too-few-steps", f"{epochs}-epochs", full, seed, ("slow-convergence",), epochs=epochs
    )


TOO_FEW: list[Recipe] = [
    *_stopped(bases.BILINEAR_CIRCUIT.but(optimizer=sgd(5e-4, 0.9), epochs=24), 203, 3),
    *_stopped(bases.AXIAL_DIGITS.but(optimizer=adam(8e-4), epochs=20), 204, 3),
    *_stopped(bases.GROUPED_HOUSING.but(optimizer=adam(3e-4), epochs=24), 205, 3),
]

RECIPES = INITIALISATION + TOO_FEW
