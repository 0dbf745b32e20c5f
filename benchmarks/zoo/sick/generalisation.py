"""Networks that learn their few training samples by heart."""

from __future__ import annotations

from .. import bases
from ..data import changes
from ..optimizers import adam, adamw
from ..plan import Plan
from ..recipe import Recipe, sick


def _by_heart(plan: Plan, seeds: int | tuple[int, ...], samples: int, **fault: object):
    """The plan with few samples, as many steps, and more rounds."""
    batch = min(plan.batch, 16)
    return sick(
        "overfitting",
        f"{samples}-samples",
        plan,
        seeds,
        source=plan.source.sized(samples),
        batch=batch,
        **fault,
    )


_DIGITS = bases.FC_DIGITS.but(source=bases.FC_DIGITS.data(changes.input_noise(1.0)))

RECIPES: list[Recipe] = [
    *_by_heart(_DIGITS, (0, 1), 160, epochs=30, model=_DIGITS.remodel(hidden=128)),
    *_by_heart(
        bases.FC_IMDB,
        2,
        320,
        epochs=20,
        optimizer=adam(1e-2),
        model=bases.FC_IMDB.remodel(dropout=0.0, width=32),
    ),
    *_by_heart(bases.CNN_MNIST, 0, 160, epochs=30, model=bases.CNN_MNIST.remodel(width=32)),
    *_by_heart(
        bases.RNN_IMDB,
        1,
        320,
        epochs=12,
        optimizer=adam(5e-3),
        model=bases.RNN_IMDB.remodel(dropout=0.0, hidden=32),
    ),
    *_by_heart(
        bases.FC_MNIST,
        (10, 11),
        160,
        epochs=30,
        optimizer=adam(2e-3),
        model=bases.FC_MNIST.remodel(hidden=128),
    ),
    *_by_heart(bases.CNN_CIFAR10, 12, 320, epochs=20, model=bases.CNN_CIFAR10.remodel(dropout=0.0)),
    *_by_heart(bases.TRANSFORMER_IMDB, 10, 320, epochs=12, optimizer=adamw(2e-3)),
    *_by_heart(bases.FC_REUTERS, 11, 160, epochs=30, optimizer=adam(1e-2)),
]
