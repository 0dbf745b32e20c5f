"""Networks that learn their few training samples by heart."""

from __future__ import annotations

from ....data import changes
from ....optimizers import adam, adamw
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


_WRONG_MNIST = bases.SQUEEZED_MNIST.but(
    source=bases.SQUEEZED_MNIST.data(changes.wrong_labels(0.25))
)

RECIPES: list[Recipe] = [
    *_by_heart(
        bases.CROSSED_FOREST,
        60,
        128,
        epochs=50,
        model=bases.CROSSED_FOREST.remodel(width=96),
    ),
    *_by_heart(_WRONG_MNIST, 61, 160, epochs=50, optimizer=adam(3e-3)),
    *_by_heart(bases.GATED_GRADES, 62, 128, epochs=50, optimizer=adamw(3e-3)),
    *_by_heart(
        bases.ASKING_REUTERS,
        63,
        240,
        epochs=20,
        optimizer=adam(3e-3),
        model=bases.ASKING_REUTERS.remodel(dropout=0.0),
    ),
]
