"""Networks that learn their few training samples by heart."""

from __future__ import annotations

from .. import bases
from ..data import changes
from ..optimizers import adam, adamw
from ..plan import Plan
from ..recipe import Recipe, sick


def _by_heart(
    plan: Plan, seeds: int | tuple[int, ...], samples: int, **fault: object
) -> list[Recipe]:
    """The plan with few samples, seen many times."""
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


_ROWS = bases.RNN_DIGITS.but(source=bases.RNN_DIGITS.data(changes.input_noise(1.0)))
_ROWS_WRONG = bases.TRANSFORMER_DIGITS.but(
    source=bases.TRANSFORMER_DIGITS.data(changes.wrong_labels(0.3))
)
_MNIST = bases.FC_MNIST.but(source=bases.FC_MNIST.data(changes.wrong_labels(0.25)))
_NEWS_WRONG = bases.FC_REUTERS.but(source=bases.FC_REUTERS.data(changes.wrong_labels(0.25)))
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
    *_by_heart(_ROWS, 2, 160, epochs=30, optimizer=adam(5e-3)),
    *_by_heart(_ROWS_WRONG, 0, 160, epochs=30, optimizer=adamw(3e-3)),
    *_by_heart(
        bases.RNN_IMDB,
        1,
        320,
        epochs=12,
        optimizer=adam(5e-3),
        model=bases.RNN_IMDB.remodel(dropout=0.0, hidden=32),
    ),
    *_by_heart(
        _MNIST,
        (10, 11),
        160,
        epochs=30,
        optimizer=adam(2e-3),
        model=_MNIST.remodel(hidden=128),
    ),
    *_by_heart(bases.CNN_CIFAR10, 12, 320, epochs=20, model=bases.CNN_CIFAR10.remodel(dropout=0.0)),
    *_by_heart(bases.TRANSFORMER_IMDB, 10, 320, epochs=12, optimizer=adamw(2e-3)),
    *_by_heart(_NEWS_WRONG, 11, 160, epochs=30, optimizer=adam(1e-2)),
]
