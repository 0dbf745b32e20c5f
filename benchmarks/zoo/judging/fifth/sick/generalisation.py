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
        scheduler=None,
        **fault,
    )


RECIPES: list[Recipe] = [
    *_by_heart(
        bases.LOOPED_SHELLS, 110, 96, epochs=70, model=bases.LOOPED_SHELLS.remodel(width=96)
    ),
    *_by_heart(bases.SPLINES_SHELLS, 112, 96, epochs=60, optimizer=adam(1e-2)),
]
