"""The sound plans as they are, which also are the twins of the sick runs."""

from __future__ import annotations

from .. import bases
from ..optimizers import cosine
from ..plan import Plan
from ..recipe import Recipe, healthy

_TUNING: tuple[Plan, ...] = (
    bases.FC_CIRCLES,
    bases.FC_DIGITS,
    bases.FC_IMDB.but(scheduler=cosine()),
    bases.FC_FRIEDMAN,
    bases.CNN_MNIST,
    bases.CNN_EXCHANGE,
    bases.RNN_IMDB.but(scheduler=cosine()),
    bases.RNN_EXCHANGE,
    bases.RNN_DIGITS,
    bases.TRANSFORMER_DIGITS,
    bases.TRANSFORMER_CHARS,
)
_JUDGING: tuple[Plan, ...] = (
    bases.FC_BLOBS,
    bases.FC_MNIST,
    bases.FC_REUTERS,
    bases.FC_EXCHANGE,
    bases.CNN_DIGITS,
    bases.CNN_CIFAR10,
    bases.RNN_REUTERS,
    bases.RNN_CHARS,
    bases.RNN_MNIST,
    bases.TRANSFORMER_IMDB.but(scheduler=cosine()),
    bases.TRANSFORMER_REUTERS,
    bases.TRANSFORMER_EXCHANGE,
)

RECIPES: list[Recipe] = [
    *[recipe for plan in _TUNING for recipe in healthy("plain", plan, 3)],
    *healthy("plain-binary", bases.FC_CIRCLES_BINARY, 4),
    *[recipe for plan in _JUDGING for recipe in healthy("plain", plan, 13)],
]
