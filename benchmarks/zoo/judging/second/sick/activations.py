"""Units that are dead or saturated, and outputs that do not fit the loss."""

from __future__ import annotations

from functools import partial

from torch import nn

from ....data import changes
from ....faults import hidden_biases, scaled_weights
from ....optimizers import sgd
from ....plan import Plan
from ....recipe import Recipe, sick
from .. import bases

_START = ("poor-initialization",)
_RAW = ("abnormal-data",)


def _shut(plan: Plan, seed: int, bias: float) -> list[Recipe]:
    """Biases so far below zero that no unit ever opens."""
    form = f"bias{bias:.0f}"
    return sick("dying-relu", form, plan, seed, _START, prepare=hidden_biases(bias))


_PLAIN_STRIPES = bases.INCEPTION_STRIPES.but(
    model=bases.INCEPTION_STRIPES.remodel(norm=False), optimizer=sgd(0.05, 0.9)
)

DYING: list[Recipe] = [
    *_shut(bases.TOWERS_PAIRS, 40, -12.0),
    *_shut(bases.SETS_COLOURS, 41, -8.0),
    *_shut(_PLAIN_STRIPES, 42, -10.0),
]


def _steep(plan: Plan, seed: int, factor: float, *names: str) -> list[Recipe]:
    """Weights so large that every unit is at an end of its range."""
    return sick(
        "saturated-activation",
        f"weights-x{factor:.0f}",
        plan,
        seed,
        _START,
        prepare=scaled_weights(factor, *names),
    )


_TANH_TOWERS = bases.TOWERS_PAIRS.but(model=bases.TOWERS_PAIRS.remodel(activation=nn.Tanh))

SATURATED: list[Recipe] = [
    *_steep(bases.LENET_DIGITS, 40, 60.0),
    *_steep(bases.GRU_ADDING, 41, 60.0, "body"),
    *_steep(_TANH_TOWERS, 42, 50.0),
    *sick(
        "saturated-activation",
        "inputs-x2000",
        bases.LENET_DIGITS,
        43,
        _RAW,
        source=bases.LENET_DIGITS.data(changes.scaled(2000.0)),
    ),
]

_SOFTMAX = partial(nn.Softmax, dim=-1)
_LARGE_SWISS = bases.HIGHWAY_SWISS.but(
    source=bases.HIGHWAY_SWISS.data(changes.target_scaled(4.0, 6.0))
)


def _ending(
    plan: Plan,
    seed: int,
    form: str,
    output: partial[nn.Module] | type[nn.Module],
    accepted: tuple[str, ...] = (),
) -> list[Recipe]:
    return sick(
        "improper-output-activation", form, plan, seed, accepted, model=plan.remodel(output=output)
    )


IMPROPER_OUTPUT: list[Recipe] = [
    *_ending(bases.LENET_DIGITS, 40, "softmax-before-cross-entropy", _SOFTMAX),
    *_ending(bases.LSTM_CRITICS, 41, "softmax-in-language-model", _SOFTMAX),
    *_ending(_LARGE_SWISS, 43, "tanh-before-large-targets", nn.Tanh),
]

RECIPES = DYING + SATURATED + IMPROPER_OUTPUT
