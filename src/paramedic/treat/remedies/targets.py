"""Targets in the form that the loss takes: one-hot or numbers, counted from 0, of one shape."""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from paramedic.treat.plan import Plan
from paramedic.treat.preparation import Preparation, fitted
from paramedic.treat.preparations import (
    AsFloat,
    AsLabels,
    AsWhole,
    Enumerate,
    OneHot,
    Rescale,
    Shift,
    Squeeze,
    Unsqueeze,
)
from paramedic.treat.remedies.reading import is_one_hot, loss_kind
from paramedic.treat.remedy import Refusal, Treated
from paramedic.types import Finding

Chain = tuple[Preparation, ...]

_OF_CLASSES = ("cross-entropy", "nll")
_IN_UNIT = ("binary-cross-entropy", "binary-cross-entropy-with-logits")


@dataclass(frozen=True, slots=True)
class FixTargets:
    """Counts classes from 0, turns one-hot rows into numbers or back, and makes shapes equal.

    What is done is told by the loss, the output and the training targets; it is only offered if
    the loss can be computed with it, with as many values compared as there are targets.
    """

    slug: str = "fix-targets"
    title: str = "Give the targets the form that the loss takes"
    against: tuple[str, ...] = ("invalid-labels", "loss-shape-mismatch", "improper-loss")

    def apply(self, plan: Plan, finding: Finding, facts: Any = None) -> Treated:
        return repaired(plan, loss_kind(plan, finding))


def repaired(plan: Plan, loss: str) -> Treated:
    """The plan with targets that its loss takes; a refusal if they are, or none was found."""
    output, _ = plan.output()
    targets = plan.sample()[1]
    if not isinstance(output, Tensor):
        raise Refusal(f"The model puts out {type(output).__name__}; its targets cannot be checked.")
    if _is_taken(plan, loss, output, targets, ()):
        raise Refusal(f"The loss takes the targets as they are, {_told(targets)}.")
    for chain in _chains(loss, output, targets):
        if _is_taken(plan, loss, output, targets, chain):
            names = ", ".join(one.code() for one in chain)
            return Treated(
                plan.replace(targets=(*plan.targets, *chain)),
                f"Prepare the targets for {loss}: {names}.",
                f"targets = ({names},)",
            )
    raise Refusal(
        f"No usual change makes targets {_told(targets)} fit an output {_told(output)} and {loss}."
    )


def _told(values: Tensor) -> str:
    shape = f"of shape {list(values.shape[1:])} per sample, {str(values.dtype)[6:]}"
    return f"{shape}, from {float(values.min()):g} to {float(values.max()):g}"


def _chains(loss: str, output: Tensor, targets: Tensor) -> Iterator[Chain]:
    """What could be done, the mildest first."""
    for shape in _shapes(output, targets):
        yield shape
        if loss in _OF_CLASSES:
            whole: Chain = (*shape, AsWhole()) if targets.is_floating_point() else shape
            yield from (whole, (*whole, Shift()), (*whole, Enumerate()))
            if is_one_hot(targets):
                yield (*shape, AsLabels())
        elif loss in _IN_UNIT:
            yield from ((*shape, AsFloat()), (*shape, Rescale()))
        else:
            yield (*shape, AsFloat())
    if output.dim() == 2 and output.shape[1] > 1 and targets.dim() == 1:
        one_hot = OneHot(output.shape[1])
        yield from ((one_hot,), (Shift(), one_hot))


def _shapes(output: Tensor, targets: Tensor) -> Iterator[Chain]:
    yield ()
    if targets.dim() > 1 and targets.shape[-1] == 1:
        yield (Squeeze(),)
    if output.dim() == targets.dim() + 1 and output.shape[-1] == 1:
        yield (Unsqueeze(),)


def _is_taken(plan: Plan, loss: str, output: Tensor, targets: Tensor, chain: Chain) -> bool:
    """Whether the loss can be computed, and means what it should."""
    try:
        changed = fitted(chain, targets)(targets)
        first = changed[: len(output)].to(output.device)
        with torch.no_grad(), warnings.catch_warnings():
            warnings.simplefilter("error")  # torch warns of shapes that only broadcast
            value = float(plan.loss(output, first))
    except Exception:  # noqa: BLE001 - the user's loss may raise anything
        return False
    return math.isfinite(value) and _makes_sense(loss, output, changed)


def _makes_sense(loss: str, output: Tensor, targets: Tensor) -> bool:
    if loss in _OF_CLASSES:
        if targets.is_floating_point():
            return targets.dim() == output.dim() and targets.shape[1:] == output.shape[1:]
        classes = output.shape[1] if output.dim() > 1 else 1
        used = targets[targets >= 0]
        counted = int(used.min()) == 0 if len(used) else False
        return counted and int(used.max()) < classes and classes > 1
    if targets.shape[1:] != output.shape[1:]:
        return False
    if loss in _IN_UNIT:
        return float(targets.min()) >= 0 and float(targets.max()) <= 1
    return True
