"""Networks that learn their few training samples by heart."""

from __future__ import annotations

from ....optimizers import adam
from ....plan import Plan
from ....recipe import Recipe, sick
from .. import bases


def _by_heart(plan: Plan, seed: int, samples: int, **fault: object) -> list[Recipe]:
    """The plan with few samples, seen many times."""
    return sick(
        "overfitting",
        f"{samples}-samples",
        plan,
        seed,
        source=plan.source.sized(samples),
        batch=16,
        **fault,
    )


RECIPES: list[Recipe] = [
    *_by_heart(bases.BILINEAR_LOANS, 200, 96, epochs=60, optimizer=adam(5e-3)),
    *_by_heart(bases.REMEMBERING_SHELLS, 201, 64, epochs=60, optimizer=adam(3e-3)),
    *_by_heart(bases.PLACED_STRIPES, 202, 96, epochs=50),
]
