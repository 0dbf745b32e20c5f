"""Units that are dead or saturated, and outputs that do not fit the loss."""

from __future__ import annotations

from functools import partial

from torch import nn

from ....data import changes
from ....faults import hidden_biases, scaled_weights
from ....optimizers import adam
from ....plan import Plan
from ....recipe import Recipe, sick
from .. import bases

_START = ("poor-initialization",)
_RAW = ("abnormal-data",)


def _shut(plan: Plan, seed: int, bias: float) -> list[Recipe]:
    """Biases so far below zero that no unit ever opens."""
    form = f"bias{bias:.0f}"
    return sick("dying-relu", form, plan, seed, _START, prepare=hidden_biases(bias))


_PLAIN_FOREST = bases.CROSSED_FOREST.but(model=bases.CROSSED_FOREST.remodel(crosses=0))

DYING: list[Recipe] = [
    *_shut(bases.POINTER_POINTING, 60, -15.0),
    *_shut(_PLAIN_FOREST, 61, -9.0),
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


_TANH_POINTER = bases.POINTER_POINTING.but(model=bases.POINTER_POINTING.remodel(activation=nn.Tanh))
_TANH_FOREST = bases.CROSSED_FOREST.but(
    model=bases.CROSSED_FOREST.remodel(activation=nn.Tanh, crosses=0)
)

SATURATED: list[Recipe] = [
    *_steep(_TANH_POINTER, 60, 60.0),
    *sick(
        "saturated-activation",
        "tanh-inputs-x400",
        _TANH_FOREST,
        61,
        _RAW,
        source=_TANH_FOREST.data(changes.scaled(400.0)),
    ),
    *sick(
        "saturated-activation",
        "tanh-inputs-x1000",
        _TANH_POINTER,
        63,
        _RAW,
        source=_TANH_POINTER.data(changes.scaled(1000.0, 2000.0)),
    ),
]

_SOFTMAX = partial(nn.Softmax, dim=-1)


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


_NEGATIVE = bases.CROSSED_SALES.but(
    source=bases.CROSSED_SALES.data(changes.target_scaled(1.0, -1.5))
)
_PROBABILITY = bases.CROSSED_ALARMS.but(
    model=bases.CROSSED_ALARMS.remodel(output=nn.Sigmoid),
    loss=nn.BCELoss(),
    scoring="probabilities",
    optimizer=adam(2e-3),
)

IMPROPER_OUTPUT: list[Recipe] = [
    *_ending(bases.ASKING_DIGITS, 60, "softmax-before-cross-entropy", _SOFTMAX),
    *_ending(bases.CROSSED_ALARMS, 61, "sigmoid-before-bce-logits", nn.Sigmoid),
    *_ending(_NEGATIVE, 62, "relu-before-negative-targets", nn.ReLU, ("dying-relu",)),
]

RECIPES = DYING + SATURATED + IMPROPER_OUTPUT
