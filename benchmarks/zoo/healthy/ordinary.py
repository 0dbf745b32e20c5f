"""The sound plans as they are, which also are the twins of the sick runs."""

from __future__ import annotations

from .. import bases
from ..optimizers import adam, adamw, cosine
from ..plan import Plan
from ..recipe import Recipe, healthy

_FIRST: tuple[Plan, ...] = (
    bases.FC_CIRCLES,
    bases.FC_DIGITS,
    bases.FC_FRIEDMAN,
    bases.CNN_MNIST,
    bases.CNN_EXCHANGE,
    bases.RNN_EXCHANGE,
    bases.RNN_DIGITS,
    bases.TRANSFORMER_DIGITS,
    bases.TRANSFORMER_CHARS,
)
_SECOND: tuple[Plan, ...] = (
    bases.FC_BLOBS,
    bases.FC_MNIST,
    bases.FC_EXCHANGE,
    bases.CNN_DIGITS,
    bases.CNN_CIFAR10,
    bases.RNN_CHARS,
    bases.RNN_MNIST,
    bases.TRANSFORMER_EXCHANGE,
)
# Texts go on being learned by heart for long: their rates go down so that the runs come to an end.
_FIRST_TEXTS: tuple[Plan, ...] = (
    bases.FC_IMDB.but(optimizer=adam(1e-2, weight_decay=3e-4)),
    bases.RNN_IMDB.but(optimizer=adam(1e-2, weight_decay=6e-4)),
)
_SECOND_TEXTS: tuple[Plan, ...] = (
    bases.FC_REUTERS,
    bases.RNN_REUTERS,
    bases.TRANSFORMER_IMDB.but(optimizer=adamw(3e-3, weight_decay=0.3)),
    bases.TRANSFORMER_REUTERS.but(optimizer=adamw(4e-3)),
)

RECIPES: list[Recipe] = [
    *[recipe for plan in _FIRST for recipe in healthy("plain", plan, 3)],
    *healthy("plain-binary", bases.FC_CIRCLES_BINARY, 4),
    *[recipe for plan in _SECOND for recipe in healthy("plain", plan, 13)],
    *[r for plan in _FIRST_TEXTS for r in healthy("cosine", plan.but(scheduler=cosine()), 3)],
    *[r for plan in _SECOND_TEXTS for r in healthy("cosine", plan.but(scheduler=cosine()), 13)],
]
