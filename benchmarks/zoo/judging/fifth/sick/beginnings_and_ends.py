"""Weights that start in the wrong place, and runs that stop too soon."""

from __future__ import annotations

from ....faults import Prepare, constant_parameters, normal_weights, scaled_weights
from ....optimizers import adam, adamw, rmsprop, sgd
from ....plan import Plan
from ....recipe import Recipe, sick
from .. import bases


def _begun(
    plan: Plan, seed: int, form: str, prepare: Prepare, accepted: tuple[str, ...] = ()
) -> list[Recipe]:
    return sick("poor-initialization", form, plan, seed, accepted, prepare=prepare)


_PLAIN_DIGITS = bases.COORDINATES_DIGITS.but(
    model=bases.COORDINATES_DIGITS.remodel(norm=False, blocks=4), optimizer=sgd(0.03, 0.9)
)

INITIALISATION: list[Recipe] = [
    *_begun(bases.RELATION_SPREAD, 110, "all-zero", constant_parameters(0.0)),
    *_begun(bases.LOOPED_DIGITS, 111, "constant-0.1", constant_parameters(0.1)),
    *_begun(bases.SPLINES_SHELLS, 112, "deviation-5", normal_weights(5.0), ("exploding-gradient",)),
    *_begun(_PLAIN_DIGITS, 113, "weights-x0.02", scaled_weights(0.02), ("vanishing-gradient",)),
]


def _stopped(full: Plan, seed: int, epochs: int) -> list[Recipe]:
    return sick(
        "too-few-steps", f"{epochs}-epochs", full, seed, ("slow-convergence",), epochs=epochs
    )


TOO_FEW: list[Recipe] = [
    *_stopped(bases.LOOPED_HOUSING.but(optimizer=adam(4e-4), epochs=24), 114, 3),
    *_stopped(bases.SPLINES_CIRCUIT.but(optimizer=rmsprop(3e-4), epochs=24), 115, 3),
    *_stopped(bases.COORDINATES_DIGITS.but(optimizer=sgd(0.01), epochs=24), 116, 3),
    *_stopped(bases.RELATION_SPREAD.but(optimizer=adamw(5e-4), epochs=20), 117, 4),
]

RECIPES = INITIALISATION + TOO_FEW
