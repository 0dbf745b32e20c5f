"""C010: the model can learn a few samples by heart."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass
from typing import Any

from paramedic.checkup.attempt import Attempt
from paramedic.checkup.batch import Batch
from paramedic.checkup.check import Check, Outcome, Skip
from paramedic.checkup.patient import Patient
from paramedic.checkup.perfection import best_possible

_RATES = {0.6: 3e-3, 0.5: 3e-2, 1.0: 3e-4}  # by the share of the time that is left
_TOKENS = 64  # that are learned by heart: more take longer and tell nothing else
_WEIGHTS = 10  # per target: fewer may not be able to


@dataclass(frozen=True, slots=True)
class OverfitOneBatch(Check):
    """Some dozen steps of Adam on a few samples bring the loss most of the way down.

    On copies, without dropout, with up to three learning rates, in bounded time. The way is
    measured from the first loss to the lowest that the targets allow; where that is not known, the
    loss must fall by a tenth. Fails only when the loss is stuck: one that still falls when the time
    is over is told, not counted. What cannot learn eight samples will not learn a million: a
    gradient that is cut off, an output that cannot take the values of the targets.
    """

    code = "C010"
    slug = "overfit-one-batch"

    share: float = 0.5  # of the way to the lowest loss
    fall: float = 0.1  # of the first loss, where the lowest is not known
    stuck: float = 0.02  # of the way in a round of steps: less is standing still
    seconds: float = 10.0

    def run(self, patient: Patient) -> Outcome:
        batch = _few(patient)
        first = float(patient.loss(batch, model=patient.another()))
        if not math.isfinite(first):
            raise Skip(f"the loss is {first} before the first step")
        goal = self._goal(first, best_possible(patient, batch))
        attempts = self._attempts(patient, batch, first, goal)
        best = min(attempts, key=lambda one: one.lowest)
        numbers: dict[str, Any] = {"first": first, "lowest": best.lowest, "goal": goal}
        numbers |= {"steps": best.steps, "learning_rate": best.rate}
        what = "the batch" if batch.uneven else f"{batch.size} samples"
        words = f"the loss of {what} falls from {first:.3g} to {best.lowest:.3g}"
        if best.lowest <= goal:
            return self.outcome(f"{words} in {best.steps} steps.", **numbers)
        if not _all_stuck(attempts, best, self.stuck * (first - goal)):
            raise Skip(f"{words} in {best.steps} steps and still falls: no verdict in the time")
        parameters, targets = _weights(patient), _targets(batch)
        if parameters < targets:
            raise Skip(f"{words}, but {parameters} weights may be too few for {targets} targets")
        finding = self.finding(
            f"The model cannot learn {what} by heart: the loss falls from "
            f"{first:.3g} to {best.lowest:.3g} and no further (wanted: {goal:.3g}), with three "
            "learning rates.",
            **numbers,
        )
        return self.outcome("", [finding], **numbers)

    def _goal(self, first: float, floor: float | None) -> float:
        if floor is None:
            return first - self.fall * abs(first)
        if first - floor <= 1e-6 * abs(first) + 1e-12:
            raise Skip(f"the loss begins at its lowest, {first:.3g}")
        return first - self.share * (first - floor)

    def _attempts(self, patient: Patient, batch: Batch, first: float, goal: float) -> list[Attempt]:
        """One learning rate after the other until one does it; each has its share of the time."""
        attempts: list[Attempt] = []
        until = time.monotonic() + min(self.seconds, max(1.0, patient.time_left()))
        for share, rate in _RATES.items():
            now = time.monotonic()
            attempt = Attempt(patient, batch, rate)
            attempt.run(goal, self.stuck * (first - goal), now + (until - now) * share)
            attempts.append(attempt)
            if attempt.lowest <= goal:
                break
        return attempts


def _all_stuck(attempts: list[Attempt], best: Attempt, little: float) -> bool:
    """Whether no attempt would get below the best by going on."""
    return all(
        one.is_broken or one.is_stuck or one.expected > best.lowest - little for one in attempts
    )


def _few(patient: Patient) -> Batch:
    """As many samples as the weights can hold, of a text only the beginning."""
    batch = patient.batch
    if batch.uneven:
        return batch
    if patient.language_model:
        each = max(8, _TOKENS // max(batch.size, 1))
        return batch.of_length(each) if batch.length() > each else batch
    wanted = _WEIGHTS * _targets(batch) / max(batch.size, 1)
    count = int(_weights(patient) / max(1.0, wanted))
    return batch.take(max(2, min(batch.size, count))) if batch.size > 2 else batch


def _weights(patient: Patient) -> int:
    return sum(one.numel() for _, one in patient.trainable())


def _targets(batch: Batch) -> int:
    """How many numbers or labels there are to learn; with no targets, those of the input."""
    goal = batch.target if batch.target is not None else batch.tensors[batch.inputs[0]]
    return goal.numel()
