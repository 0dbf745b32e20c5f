"""Networks that learn their few training samples by heart."""

from __future__ import annotations

from ....data import changes
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


_WRONG_DIGITS = bases.LENET_DIGITS.but(source=bases.LENET_DIGITS.data(changes.wrong_labels(0.25)))

RECIPES: list[Recipe] = [
    *_by_heart(_WRONG_DIGITS, 40, 160, epochs=40),
    *_by_heart(
        bases.MAXOUT_HASTIE,
        41,
        160,
        epochs=36,
        optimizer=adam(3e-3),
        model=bases.MAXOUT_HASTIE.remodel(width=64),
    ),
    *_by_heart(bases.TOWERS_PAIRS, 42, 96, epochs=60, optimizer=adam(3e-3)),
]
