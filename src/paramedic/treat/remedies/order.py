"""Which remedies there are, and in which order they are tried against a problem."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from types import MappingProxyType
from typing import Any

from paramedic.treat.remedies.batch_size import LargerBatch, SmallerBatch
from paramedic.treat.remedies.clip_norm import ClipNorm
from paramedic.treat.remedies.clip_values import ClipValues
from paramedic.treat.remedies.dropout import Dropout
from paramedic.treat.remedies.initialise import Initialise
from paramedic.treat.remedies.inputs import (
    CleanInputs,
    ClipInputs,
    ImputeInputs,
    StandardiseInputs,
)
from paramedic.treat.remedies.learning_rate import DefaultRate, LowerRate, RaiseRate, SuitedRate
from paramedic.treat.remedies.loss import SuitLoss
from paramedic.treat.remedies.normalise_activations import NormaliseActivations
from paramedic.treat.remedies.optimizer import Minimise, Momentum, OtherOptimizer
from paramedic.treat.remedies.output_activation import OutputActivation
from paramedic.treat.remedies.range_test import RangeTest
from paramedic.treat.remedies.substitute_activation import SubstituteActivation
from paramedic.treat.remedies.targets import FixTargets
from paramedic.treat.remedies.together import Together
from paramedic.treat.remedies.warm_up import WarmUp
from paramedic.treat.remedies.weight_decay import WeightDecay
from paramedic.treat.remedy import Remedy

_FLOW = (
    "vanishing-gradient", "exploding-gradient", "dying-relu", "saturated-activation",
    "slow-convergence", "loss-plateau",
)  # fmt: skip


def _pair(
    slug: str, title: str, first: Remedy, second: Remedy, against: tuple[str, ...] = _FLOW
) -> Together:
    return Together(slug, title, (first, second), against)


@cache
def remedies() -> Mapping[str, Remedy]:
    """Every remedy by its name."""
    every: list[Remedy] = [
        NormaliseActivations(),
        SubstituteActivation("relu"), SubstituteActivation("selu"),
        SubstituteActivation("leakyrelu"), SubstituteActivation("tanh"), OutputActivation(),
        ClipValues(), Initialise(), LargerBatch(), SmallerBatch(), DefaultRate(), LowerRate(),
        RaiseRate(), SuitedRate(), Momentum(), OtherOptimizer(), Minimise(), SuitLoss(),
        CleanInputs(), StandardiseInputs(), ImputeInputs(), ClipInputs(), FixTargets(),
        RangeTest(), WarmUp(), ClipNorm(), WeightDecay(), Dropout(),
        Dropout("strong-dropout", "Use much dropout", share=0.5),
        # What a change of the activations asks of the weights before them.
        _pair("relu-and-normalise", "Use relu, each behind a normalisation",
              SubstituteActivation("relu"), NormaliseActivations()),
        _pair("relu-and-initialise", "Use relu, with weights drawn for it",
              SubstituteActivation("relu"), Initialise()),
        _pair("leakyrelu-and-initialise", "Use leakyrelu, with weights drawn for it",
              SubstituteActivation("leakyrelu"), Initialise()),
        _pair("initialise-and-normalise", "Draw the weights anew and normalise",
              Initialise(), NormaliseActivations()),
        # A rate that makes up for inputs of another scale does not suit them once they are right.
        _pair("clean-inputs-and-optimizer", "Clean the inputs, with an optimizer that suits them",
              CleanInputs(), OtherOptimizer(), ("abnormal-data",)),
    ]  # fmt: skip
    return MappingProxyType({remedy.slug: remedy for remedy in every})


# Ours: what is simply wrong first, then what is most likely to help; the first few are raced.
ORDER: Mapping[str, tuple[str, ...]] = MappingProxyType({
    "vanishing-gradient": (
        "relu-and-normalise", "normalise-activations", "relu-and-initialise", "activation-selu",
        "output-activation", "activation-relu", "other-optimizer", "initialise",
    ),
    "exploding-gradient": (
        "standardise-inputs", "initialise", "normalise-activations", "clip-norm",
        "initialise-and-normalise", "range-test", "lower-rate", "activation-tanh", "clip-values",
        "warm-up", "other-optimizer",
    ),
    "dying-relu": (
        "standardise-inputs", "leakyrelu-and-initialise", "normalise-activations", "lower-rate",
        "initialise", "activation-leakyrelu", "output-activation", "warm-up", "default-rate",
    ),
    "saturated-activation": (
        "standardise-inputs", "relu-and-normalise", "normalise-activations", "initialise",
        "relu-and-initialise", "activation-relu", "output-activation", "lower-rate",
    ),
    "oscillating-loss": (
        "lower-rate", "range-test", "momentum", "clip-norm", "standardise-inputs", "default-rate",
        "larger-batch", "initialise", "other-optimizer", "warm-up",
    ),
    "slow-convergence": (
        "output-activation", "suit-loss", "other-optimizer", "raise-rate", "range-test",
        "standardise-inputs", "relu-and-normalise", "default-rate", "momentum", "smaller-batch",
        "normalise-activations", "initialise", "activation-relu",
    ),
    "loss-plateau": (
        "output-activation", "range-test", "other-optimizer", "normalise-activations",
        "raise-rate", "relu-and-normalise", "standardise-inputs", "suit-loss", "initialise",
        "activation-relu",
    ),
    "loss-explosion": (
        "minimise", "standardise-inputs", "range-test", "lower-rate", "clip-norm",
        "normalise-activations", "initialise", "default-rate", "other-optimizer", "warm-up",
        "clip-values",
    ),
    "gradient-instability": (
        "clip-norm", "clip-inputs", "standardise-inputs", "lower-rate", "normalise-activations",
        "warm-up", "clip-values", "larger-batch", "other-optimizer",
    ),
    "improper-output-activation": ("output-activation", "suit-loss"),
    "improper-loss": ("suit-loss", "fix-targets"),
    "invalid-labels": ("fix-targets", "suit-loss"),
    "loss-shape-mismatch": ("fix-targets", "suit-loss"),
    "abnormal-data": (
        "impute-inputs", "clean-inputs", "clean-inputs-and-optimizer", "clip-inputs",
        "standardise-inputs", "normalise-activations",
    ),
    "dead-input": ("clean-inputs",),
    "non-finite": (
        "minimise", "impute-inputs", "standardise-inputs", "range-test", "lower-rate",
        "clip-norm", "initialise", "normalise-activations", "suit-loss", "clip-values", "warm-up",
    ),
    "learning-rate-too-high": (
        "minimise", "suited-rate", "range-test", "lower-rate", "default-rate",
        "standardise-inputs", "other-optimizer", "warm-up", "clip-norm",
    ),
    "learning-rate-too-low": (
        "suited-rate", "range-test", "raise-rate", "other-optimizer", "standardise-inputs",
        "default-rate", "momentum", "smaller-batch",
    ),
    "too-few-steps": (
        "range-test", "raise-rate", "other-optimizer", "smaller-batch", "standardise-inputs",
    ),
    "poor-initialization": ("initialise", "normalise-activations"),
    "overfitting": ("dropout", "weight-decay", "strong-dropout", "lower-rate"),
    "no-more-gain": ("lower-rate",),
})  # fmt: skip

# What no change of a plan can cure, and why.
WITHOUT_REMEDY: Mapping[str, str] = MappingProxyType({
    "uninformative-labels": "nobody can guess the right labels",
    "missing-zero-grad": "the loop of a plan sets the gradients to zero",
    "untrained-parameters": "a plan trains every parameter that is not frozen on purpose",
    "wrong-mode": "the loop of a plan trains in training mode",
    "too-good-to-be-true": "it learns, and whether something leaks only its data can tell",
})  # fmt: skip

# AUTOTRAINER's, to the letter; what it does not know is treated in our order.
SEQUENTIAL: Mapping[str, tuple[str, ...]] = MappingProxyType({
    "vanishing-gradient": (
        "activation-relu", "activation-selu", "activation-leakyrelu", "normalise-activations",
    ),
    "exploding-gradient": (
        "activation-relu", "activation-selu", "activation-leakyrelu", "normalise-activations",
        "clip-values",
    ),
    "dying-relu": (
        "activation-selu", "activation-leakyrelu", "normalise-activations", "initialise",
    ),
    "oscillating-loss": ("momentum", "lower-rate", "initialise", "larger-batch"),
    "slow-convergence": ("other-optimizer", "raise-rate", "initialise"),
    "improper-output-activation": ("output-activation",),
    "improper-loss": ("suit-loss",),
    "abnormal-data": ("clean-inputs",),
})  # fmt: skip


def remedies_for(
    problem: str, *, allowed: Sequence[Any] | None = None, strategy: str = "race"
) -> tuple[Remedy, ...]:
    """The remedies against a problem, in the order in which they are tried.

    `allowed` are a user's own, as objects or by name, in the user's order: only those that are
    against the problem are kept. `strategy="sequential"` gives AUTOTRAINER's order.
    """
    if allowed is not None:
        return tuple(one for one in map(remedy, allowed) if problem in one.against)
    orders = {**ORDER, **SEQUENTIAL} if strategy == "sequential" else ORDER
    return tuple(remedies()[slug] for slug in orders.get(problem, ()))


def remedy(name: Any) -> Remedy:
    """A remedy by its name; one that is a remedy already is given back."""
    if not isinstance(name, str):
        missing = [one for one in ("slug", "against", "apply") if not hasattr(name, one)]
        if missing:
            raise TypeError(f"{name!r} is no remedy: it has no `{'`, no `'.join(missing)}`.")
        return name  # type: ignore[no-any-return]
    if name not in remedies():
        raise ValueError(f"There is no remedy `{name}`; there are {', '.join(remedies())}.")
    return remedies()[name]
