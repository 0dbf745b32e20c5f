"""C013: what should learn is in the optimizer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from torch import Tensor, nn
from torch.optim import Optimizer

from paramedic.checkup.check import Check, Outcome, Skip
from paramedic.checkup.patient import Patient
from paramedic.checkup.words import listed
from paramedic.types import Finding


@dataclass(frozen=True, slots=True)
class OptimizerCoverage(Check):
    """Every trainable parameter is in the optimizer, and everything that learns is a parameter.

    The first by looking at the groups of the optimizer. The second by looking at what the graph of
    the loss begins with: layers in a plain list and tensors that are no `nn.Parameter` get a
    gradient, but `model.parameters()` does not know them.
    """

    code = "C013"
    slug = "optimizer-coverage"

    def run(self, patient: Patient) -> Outcome:
        original = patient.subject.original
        stray = self._unregistered(patient)
        if patient.optimizer is None:
            if stray is None:
                raise Skip("no optimizer was given")
            return self.outcome("", [stray])
        held = _held(patient.optimizer)
        named = [(name, one) for name, one in original.named_parameters() if one.requires_grad]
        missing = [name for name, one in named if id(one) not in held]
        words = f"the optimizer holds all {len(named)} trainable parameters."
        return self.outcome(words, [self._missing(missing, len(named)), stray])

    def _missing(self, missing: list[str], every: int) -> Finding | None:
        if not missing:
            return None
        if len(missing) == every:
            message = "The optimizer holds no parameter of this model: was it made for another one?"
        else:
            message = f"The optimizer does not hold {listed(missing)}: they will never change."
        return self.finding(message, where=missing, parameters=len(missing), of=every)

    def _unregistered(self, patient: Patient) -> Finding | None:
        try:
            objective = patient.objective()
        except Skip:
            return None
        known = {id(one) for one in patient.model.parameters()}
        if isinstance(patient.loss_fn, nn.Module):
            known |= {id(one) for one in patient.loss_fn.parameters()}
        strays = [one for one in _leaves(objective) if id(one) not in known]
        # These are copies, so which of the originals the optimizer holds cannot be told. If it
        # holds more than the model's parameters, somebody has thought of them.
        if not strays or _holds_more(patient):
            return None
        shapes = [list(one.shape) for one in strays]
        return self.finding(
            f"The loss depends on {len(strays)} tensors that require a gradient but are not among "
            f"`model.parameters()` (shapes {', '.join(map(str, shapes[:4]))}): keep layers in an "
            "`nn.ModuleList`, tensors as `nn.Parameter`.",
            tensors=len(strays), shapes=shapes,
        )  # fmt: skip


def _held(optimizer: Optimizer) -> set[int]:
    return {id(one) for group in optimizer.param_groups for one in group["params"]}


def _holds_more(patient: Patient) -> bool:
    """Whether the optimizer holds tensors that are no parameters of the model."""
    known = {id(one) for one in patient.subject.original.parameters()}
    return patient.optimizer is not None and not _held(patient.optimizer) <= known


def _leaves(objective: Tensor) -> list[Tensor]:
    """The tensors that a graph begins with."""
    found: dict[int, Tensor] = {}
    stack: list[Any] = [objective.grad_fn]
    seen = set(stack)
    while stack:
        node = stack.pop()
        if node is None:
            continue
        if hasattr(node, "variable"):
            found[id(node.variable)] = node.variable
        for following, _ in node.next_functions:
            if following is not None and following not in seen:
                seen.add(following)
                stack.append(following)
    return list(found.values())
