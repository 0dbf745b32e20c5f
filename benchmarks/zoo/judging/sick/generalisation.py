"""Networks that learn their few training samples by heart."""

from __future__ import annotations

from ...data import changes
from ...optimizers import adam, adamw
from ...plan import Plan
from ...recipe import Recipe, sick
from .. import bases


def _by_heart(
    plan: Plan, seeds: int | tuple[int, ...], samples: int, **fault: object
) -> list[Recipe]:
    """The plan with few samples, seen many times."""
    return sick(
        "overfitting",
        f"{samples}-samples",
        plan,
        seeds,
        source=plan.source.sized(samples),
        batch=16,
        **fault,
    )


_FOREST = bases.FUNNEL_FOREST.but(source=bases.FUNNEL_FOREST.data(changes.wrong_labels(0.2)))
_DIGITS = bases.VIT_DIGITS.but(source=bases.VIT_DIGITS.data(changes.wrong_labels(0.3)))

RECIPES: list[Recipe] = [
    *_by_heart(_FOREST, 20, 160, epochs=30, model=_FOREST.remodel(widths=(192, 96, 48))),
    *_by_heart(
        bases.TEXT_CNN_IMDB,
        22,
        320,
        epochs=18,
        optimizer=adam(3e-3),
        model=bases.TEXT_CNN_IMDB.remodel(dropout=0.0, width=24),
    ),
    *_by_heart(_DIGITS, 20, 160, epochs=30),
    *_by_heart(
        bases.RESNET_CIFAR10, 21, 320, epochs=18, model=bases.RESNET_CIFAR10.remodel(dropout=0.0)
    ),
    *_by_heart(
        bases.GPT_WIKITEXT,
        22,
        96,
        epochs=40,
        optimizer=adamw(4e-3),
        model=bases.GPT_WIKITEXT.remodel(dropout=0.0, width=32),
    ),
]
