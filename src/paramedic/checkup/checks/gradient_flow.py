"""C003: a gradient reaches every trainable parameter."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from torch import nn

from paramedic.checkup.check import Check, Outcome, Skip
from paramedic.checkup.patient import Patient
from paramedic.checkup.words import listed
from paramedic.types import Finding


@dataclass(frozen=True, slots=True)
class GradientFlow(Check):
    """One backward pass in training mode gives each trainable parameter a gradient.

    Without a loss, a random mix of the outputs stands in for it. A gradient that is missing means
    that the parameter is not used or is cut off by `detach()`, `no_grad()`, `.data` or an index.
    Before that is said, other weights and inputs are tried, since what lies behind a layer that
    begins at zero, or an expert that no sample is sent to, gets none at first.
    """

    code = "C003"
    slug = "gradient-flow"

    passes: int = 8

    def run(self, patient: Patient) -> Outcome:
        every = [name for name, _ in patient.trainable()]
        frozen = sum(1 for _ in patient.model.parameters()) - len(every)
        if not every:
            if not frozen:
                raise Skip("the model has no parameters")
            message = "No parameter is trainable: `requires_grad` is False for all of them."
            return self.outcome("", [self.finding(message, parameters=frozen)])
        found = self._without(patient, set(every))
        if found is None:
            return self.outcome("", [self._cut_off(every)])
        missing, silent = found
        silent -= missing
        silent -= _explained(silent, set(every) - missing - silent)
        words = f"all {len(every)} trainable parameters get a gradient"
        also = f"; {frozen} are frozen" if frozen else ""
        return self.outcome(
            f"{words}{also}.",
            [self._missing(missing, every), self._zero(silent, every)],
            trainable=len(every), frozen=frozen,
        )  # fmt: skip

    def _without(self, patient: Patient, every: set[str]) -> tuple[set[str], set[str]] | None:
        """The parameters that never get a gradient, and those that only get zeros."""
        missing, silent, first = every, every, -1
        for turn, new in enumerate(self._passes(patient)):
            if new is None:
                return None
            missing, silent = missing & new[0], silent & new[1]
            left = len(missing) + len(silent)
            first = left if turn == 0 else first
            # Where other weights reach more, samples are sent to experts: give all a chance.
            if not left or (turn > 1 and left == first):
                break
        return missing, silent

    def _passes(self, patient: Patient) -> Iterator[tuple[set[str], set[str]] | None]:
        """The parameters without a gradient and those with one of zeros, pass by pass, each with
        other weights and inputs; None when the loss has no graph."""
        for turn in range(self.passes):
            model = patient.shaken(min(turn, 4) / 2, turn) if turn else patient.model
            batch = patient.varied(turn) if turn > 1 and patient.can_vary else patient.batch
            objective = patient.objective(batch, model=model)
            if not objective.requires_grad:
                yield None
                return
            objective.backward()  # type: ignore[no-untyped-call]
            yield (
                {name for name, one in model.named_parameters() if one.grad is None},
                _silent(model),
            )

    def _cut_off(self, every: list[str]) -> Finding:
        return self.finding(
            "The loss has no graph: something between the parameters and the loss cuts it off "
            "(`detach()`, `no_grad()`, `.item()`, `argmax`, NumPy).",
            where=every,
        )

    def _missing(self, missing: set[str], every: list[str]) -> Finding | None:
        if not missing:
            return None
        names = [name for name in every if name in missing]
        return self.finding(
            f"No gradient reaches {listed(names)}: not used, or cut off by `detach()`, "
            "`no_grad()` or a hard decision.",
            where=names, parameters=len(names), of=len(every),
        )  # fmt: skip

    def _zero(self, silent: set[str], every: list[str]) -> Finding | None:
        if not silent:
            return None
        names = [name for name in every if name in silent]
        return self.finding(
            f"The gradient of {listed(names)} is exactly zero, also with other weights: the loss "
            "does not change with them.",
            confidence=0.9, where=names, parameters=len(names), of=len(every),
        )  # fmt: skip


def _silent(model: nn.Module) -> set[str]:
    """The parameters whose gradient is missing or zero everywhere."""
    named = model.named_parameters()
    return {name for name, one in named if one.grad is None or not bool(one.grad.count_nonzero())}


def _explained(silent: Iterable[str], reached: set[str]) -> set[str]:
    """Offsets that a normalisation or a softmax takes away again: zero by mathematics.

    The bias before a batch normalisation or of the keys of an attention changes nothing; it is
    beside a weight that does learn.
    """
    owners = {name.rpartition(".")[0] for name in reached}
    return {name for name in silent if "bias" in name and name.rpartition(".")[0] in owners}
