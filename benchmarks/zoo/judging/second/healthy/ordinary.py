"""The sound plans, which also are the twins of the sick runs, with and without schedules."""

from __future__ import annotations

from ....optimizers import adam, cosine, one_cycle, sgd, stairs, warmup, warmup_cosine
from ....plan import Plan
from ....recipe import Recipe, healthy
from .. import bases

_PLAIN: tuple[Plan, ...] = (
    bases.HIGHWAY_SWISS,
    bases.MAXOUT_HASTIE,
    bases.MAXOUT_CIRCUIT,
    bases.LENET_DIGITS,
    bases.INCEPTION_STRIPES,
    bases.UNET_MASKS,
    bases.CONV_LSTM_MOTION,
    bases.GRU_ADDING,
    bases.REGRESSOR_ADDING,
    bases.BOTH_RECALL,
)
# These would swing, or go on to learn by heart: their rates go down so that the runs end.
_ENDING: tuple[Plan, ...] = (
    bases.HIGHWAY_SHELLS,
    bases.MAXOUT_CHECKERS,
    bases.SETS_SPREAD,
    bases.SETS_COLOURS,
    bases.TOWERS_PAIRS,
    bases.WIDE_HASTIE.but(epochs=6),
    bases.LENET_SHAPES,
    bases.INCEPTION_MNIST,
    bases.RESNET_STRIPES,
    bases.SEPARABLE_SHAPES,
    bases.TCN_SIGNALS,
    bases.ELMAN_LEAKY,
    bases.REGRESSOR_LEAKY,
)

SCHEDULES: list[Recipe] = [
    *healthy("warm-up", bases.LENET_DIGITS.but(scheduler=warmup(0.2)), 51),
    *healthy("stairs", bases.MAXOUT_HASTIE.but(scheduler=stairs()), 51),
    *healthy(
        "one-cycle",
        bases.SETS_COLOURS.but(scheduler=one_cycle(0.1), optimizer=sgd(0.01, 0.9)),
        51,
    ),
    *healthy(
        "warm-up-cosine",
        bases.LSTM_WORDS.but(scheduler=warmup_cosine(), optimizer=adam(1e-2)),
        51,
    ),
    *healthy("converged", bases.MAXOUT_CIRCUIT.but(scheduler=cosine(), epochs=24), 52),
    *healthy("converged", bases.HIGHWAY_SWISS.but(scheduler=cosine(), epochs=28), 52),
]

RECIPES: list[Recipe] = [
    *[recipe for plan in _PLAIN for recipe in healthy("plain", plan, 50)],
    *[r for plan in _ENDING for r in healthy("cosine", plan.but(scheduler=cosine()), 50)],
    *SCHEDULES,
]
