"""What the rules of AUTOTRAINER share: iterations, checks, and the accuracy that is good enough.

Its iteration is an epoch, and it looks at the run after every third one. Between two checks the
verdict of the last one stands, so here only what was known at the last check is read.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from paramedic.diagnose.detector import Detector, threshold
from paramedic.diagnose.reference._measurements import (
    known,
    layers_with_parameters,
    measured_frames,
    non_finite_steps,
)
from paramedic.types import Finding, Window

PAPER = "AUTOTRAINER, Table 1 and section 5.4"
CODE = "AUTOTRAINER's public code"


def accuracy(window: Window) -> NDArray[np.float64]:
    """The accuracy of each epoch: `val_acc` if it was ever given, else `train_acc`."""
    validation = window.series("val_acc")
    return window.series("train_acc") if np.isnan(validation).all() else validation


@dataclass(frozen=True, slots=True)
class CheckedRule(Detector):
    """A rule that judges the accuracy of the epochs up to the last check."""

    patience = 1

    every: int = threshold(3, "epochs between two checks", source="AUTOTRAINER, section 5.3")

    def missing(self, window: Window) -> str | None:
        if np.isnan(window.derive(accuracy)).all():
            return "no accuracy was handed in: neither `val_acc` nor `train_acc` of an epoch"
        if not self.checked(window):
            return f"the first check is after {self.every} epochs, but {len(window.epochs)} ended"
        return None if len(self.accuracies(window)) else "no accuracy was handed in before a check"

    def tell(
        self,
        window: Window,
        message: str,
        evidence: Mapping[str, Any],
        where: Iterable[str] = (),
    ) -> Finding:
        """A finding; the paper gives no confidence, its verdicts are certain."""
        return self.finding(window, message, confidence=1.0, where=where, **evidence)

    def checked(self, window: Window) -> int:
        """How many epochs there were at the last check: the paper's k."""
        return len(window.epochs) - len(window.epochs) % max(self.every, 1)

    def accuracies(self, window: Window) -> NDArray[np.float64]:
        """The accuracies known at the last check, without gaps."""
        return known(window.derive(accuracy)[: self.checked(window)])


@dataclass(frozen=True, slots=True)
class LowAccuracyRule(CheckedRule):
    """A rule that only holds while no epoch was accurate enough."""

    satisfactory: float = threshold(0.7, "Θ: accuracy that is good enough", source=CODE)

    def tell(
        self,
        window: Window,
        message: str,
        evidence: Mapping[str, Any],
        where: Iterable[str] = (),
    ) -> Finding:
        reached = {"accuracy": self.best(window), "satisfactory": self.satisfactory}
        return CheckedRule.tell(self, window, message, {**evidence, **reached}, where)

    def best(self, window: Window) -> float:
        """The highest accuracy up to the last check."""
        return float(self.accuracies(window).max())

    def is_satisfied(self, window: Window) -> bool:
        return self.best(window) > self.satisfactory


@dataclass(frozen=True, slots=True)
class RecentRule(LowAccuracyRule):
    """A rule on a statistic of the layers that must hold in each of the last iterations.

    An iteration shows the newest frame that was measured up to its end.
    """

    statistic: ClassVar[str]

    iterations: int = threshold(
        0, "α: iterations before the current one in which it must hold too", source=PAPER
    )

    def missing(self, window: Window) -> str | None:
        lacking = CheckedRule.missing(self, window)
        if lacking is not None:
            return lacking
        if self.checked(window) <= self.iterations:
            return f"{self.iterations + 1} iterations are needed by the last check"
        if (window.derive(self._frames) < 0).any():
            return f"no frame of the last check has `{self.statistic}`"
        return None

    def rows(self, window: Window) -> NDArray[np.float64]:
        """The statistic, one row per iteration [k - α, k], one column per layer."""
        values = window.layer(self.statistic)[window.derive(self._frames)]
        return values[:, self.columns(window)].astype(np.float64)

    def columns(self, window: Window) -> NDArray[np.intp]:
        """The layers that are looked at."""
        return window.derive(layers_with_parameters)

    def is_non_finite(self, window: Window) -> NDArray[np.bool_]:
        """For each iteration, whether a non-finite loss or gradient was seen in it."""
        steps = window.derive(non_finite_steps)
        first = self.checked(window) - self.iterations - 1
        ends = np.array([-1, *(epoch.step for epoch in window.epochs)])[first:]
        ends = ends[: self.iterations + 2]
        inside = (steps[None] > ends[:-1, None]) & (steps[None] <= ends[1:, None])
        return np.asarray(inside.any(axis=1))

    def _frames(self, window: Window) -> NDArray[np.intp]:
        """The frame of each iteration, -1 where the window no longer has one."""
        frames = measured_frames(window.layer(self.statistic)[:, self.columns(window)])
        last = self.checked(window)
        ends = [epoch.step for epoch in window.epochs[last - self.iterations - 1 : last]]
        places = np.searchsorted(window.steps[frames], ends, side="right") - 1
        return np.where(places < 0, -1, np.append(frames, -1)[places])


def first_and_last(rows: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Of each row, the first and the last value that was measured."""
    measured = ~np.isnan(rows)
    lines = np.arange(len(rows))
    last = rows.shape[1] - 1 - measured[:, ::-1].argmax(axis=1)
    return rows[lines, measured.argmax(axis=1)], rows[lines, last]


def quotient(first: NDArray[np.float64], last: NDArray[np.float64]) -> NDArray[np.float64]:
    """First over last: infinite over zero, NaN if both are zero or both infinite."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return first / last
