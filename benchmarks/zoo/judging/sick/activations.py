"""Units that are dead or saturated, and outputs that do not fit the loss."""

from __future__ import annotations

from functools import partial

from torch import nn

from ...data import changes
from ...faults import hidden_biases, scaled_weights
from ...losses import ClampedBinaryLoss
from ...optimizers import sgd
from ...plan import Plan
from ...recipe import Recipe, sick
from .. import bases

_START = ("poor-initialization",)
_RATE = ("learning-rate-too-high",)
_RAW = ("abnormal-data",)


def _shut(plan: Plan, seeds: int | tuple[int, ...], bias: float, form: str) -> list[Recipe]:
    """Biases so far below zero that no unit ever opens."""
    return sick(
        "dying-relu", f"bias{bias:.0f}-{form}", plan, seeds, _START, prepare=hidden_biases(bias)
    )


DYING: list[Recipe] = [
    *_shut(bases.FUNNEL_FOREST, 20, -12.0, "adam"),
    *_shut(bases.VGG_SHAPES, 22, -8.0, "adam"),
    *_shut(bases.TEXT_CNN_REUTERS, 20, -10.0, "adam"),
    *_shut(bases.FACTORS_SHOP, 21, -15.0, "adam"),
    *sick(
        "dying-relu",
        "rate-too-high-momentum",
        bases.VGG_MNIST,
        22,
        _RATE,
        optimizer=sgd(0.4, 0.9),
    ),
]


def _tanh(plan: Plan) -> Plan:
    return plan.but(model=plan.remodel(activation=nn.Tanh))


def _steep(plan: Plan, seeds: int | tuple[int, ...], factor: float, *names: str) -> list[Recipe]:
    """Weights so large that every unit is at an end of its range."""
    return sick(
        "saturated-activation",
        f"weights-x{factor:.0f}",
        plan,
        seeds,
        _START,
        prepare=scaled_weights(factor, *names),
    )


SATURATED: list[Recipe] = [
    *_steep(_tanh(bases.FUNNEL_MOONS), 20, 60.0),
    *_steep(_tanh(bases.VGG_MNIST), 22, 50.0),
    *_steep(bases.GRU_LEAKY, 20, 60.0, "body"),
    *_steep(bases.BOTH_MAJORITY, 21, 60.0, "body"),
    *sick(
        "saturated-activation",
        "inputs-x1000",
        _tanh(bases.WIDE_WAVE),
        22,
        _RAW,
        source=bases.WIDE_WAVE.data(changes.scaled(1000.0)),
    ),
]

_SOFTMAX = partial(nn.Softmax, dim=-1)
_HOUSING_LARGE = bases.FUNNEL_HOUSING.but(
    source=bases.FUNNEL_HOUSING.data(changes.target_scaled(3.0, 5.0))
)
_CANCER_PROBABILITY = bases.WIDE_CANCER.but(
    model=bases.WIDE_CANCER.remodel(output=nn.Sigmoid),
    loss=ClampedBinaryLoss(),
    scoring="probabilities",
)


def _ending(
    plan: Plan,
    seeds: int | tuple[int, ...],
    form: str,
    output: partial[nn.Module] | type[nn.Module],
    accepted: tuple[str, ...] = (),
) -> list[Recipe]:
    return sick(
        "improper-output-activation",
        form,
        plan,
        seeds,
        accepted,
        model=plan.remodel(output=output),
    )


IMPROPER_OUTPUT: list[Recipe] = [
    *_ending(bases.VIT_STRIPES, 20, "softmax-before-cross-entropy", _SOFTMAX),
    *_ending(bases.BOTH_REUTERS, 21, "softmax-before-cross-entropy", _SOFTMAX),
    *_ending(bases.GPT_AUSTEN, 20, "softmax-in-language-model", _SOFTMAX),
    *_ending(bases.WIDE_CANCER, 21, "sigmoid-before-bce-logits", nn.Sigmoid),
    *_ending(bases.TEXT_CNN_IMDB, 22, "sigmoid-before-bce-logits", nn.Sigmoid),
    *_ending(bases.FUNNEL_FOREST, 20, "relu-before-cross-entropy", nn.ReLU, ("dying-relu",)),
    *_ending(bases.VIT_DIGITS, 20, "relu-before-cross-entropy", nn.ReLU, ("dying-relu",)),
    *_ending(_CANCER_PROBABILITY, 21, "no-sigmoid-before-bce", nn.Identity),
    *_ending(_HOUSING_LARGE, 22, "tanh-before-large-targets", nn.Tanh),
    *_ending(bases.TCN_EXCHANGE, 20, "sigmoid-before-regression", nn.Sigmoid),
]

RECIPES = DYING + SATURATED + IMPROPER_OUTPUT
