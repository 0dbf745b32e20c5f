"""Weights that start in the wrong place, and runs that stop too soon."""

from __future__ import annotations

from ...faults import Prepare, constant_parameters, normal_weights, scaled_weights
from ...optimizers import adam, sgd
from ...plan import Plan
from ...recipe import Recipe, sick
from ..third import bases

_SMALL = ("vanishing-gradient",)
_LARGE = ("exploding-gradient",)


def _begun(
    plan: Plan, seed: int, form: str, prepare: Prepare, accepted: tuple[str, ...] = ()
) -> list[Recipe]:
    return sick("poor-initialization", form, plan, seed, accepted, prepare=prepare)


_DEEP_TEXTURES = bases.SQUEEZED_TEXTURES.but(
    model=bases.SQUEEZED_TEXTURES.remodel(norm=False), optimizer=sgd(0.05, 0.9)
)

INITIALISATION: list[Recipe] = [
    *_begun(bases.GATED_HOUSING, 90, "all-zero", constant_parameters(0.0)),
    *_begun(bases.ASKING_DIGITS, 91, "constant-0.2", constant_parameters(0.2)),
    *_begun(bases.WAVES_RHYTHMS, 92, "deviation-4", normal_weights(4.0), _LARGE),
    *_begun(_DEEP_TEXTURES, 93, "tiny-weights", scaled_weights(0.01), _SMALL),
    *_begun(bases.CROSSED_SALES, 94, "deviation-3", normal_weights(3.0), _LARGE),
]


def _stopped(full: Plan, seed: int, epochs: int) -> list[Recipe]:
    return sick(
        "too-few-steps", f"{epochs}-epochs", full, seed, ("slow-convergence",), epochs=epochs
    )


TOO_FEW: list[Recipe] = [
    *_stopped(bases.GATED_HOUSING.but(optimizer=adam(3e-4), epochs=24), 90, 3),
    *_stopped(bases.SQUEEZED_TEXTURES.but(optimizer=adam(4e-4), epochs=16), 91, 3),
]

RECIPES = INITIALISATION + TOO_FEW
