"""What the tests of the commands share: traces, and two detectors that look at the loss."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from paramedic.diagnose import rules
from paramedic.diagnose.detector import Detector, threshold
from paramedic.trace import Writer
from paramedic.types import Chart, Finding, Frame, Window
from tests.diagnose.scripted import PAGE


@dataclass(frozen=True, slots=True)
class HighLoss(Detector):
    __doc__ = PAGE

    code = "L901"
    slug = "high-loss"
    explains = frozenset({"still-high-loss"})
    patience = 1

    level: float = threshold(10.0, "the loss that is too high", source="a test")

    def examine(self, window: Window) -> Finding | None:
        loss = float(window.pulse.loss[-1])
        if loss <= self.level:
            return None
        return self.finding(
            window, "The loss is high.", confidence=0.8, loss=loss, threshold=self.level
        )


@dataclass(frozen=True, slots=True)
class Validated(Detector):
    __doc__ = PAGE

    code = "T901"
    slug = "validated"
    needs = frozenset({"act_var"})

    def examine(self, window: Window) -> Finding | None:
        return None


@pytest.fixture
def two_rules(monkeypatch: pytest.MonkeyPatch) -> None:
    """The default rule set is `HighLoss` and `Validated`."""
    monkeypatch.setattr(rules, "_default", lambda: (HighLoss, Validated))


@pytest.fixture
def record(tmp_path: Path) -> Callable[..., Path]:
    """`record(name, loss)` writes a run of 60 steps with this loss, or one that falls to `to`."""

    def write(
        name: str, first: float, to: float | None = None, *, steps: int = 60, frames: int = 60
    ) -> Path:
        writer = Writer(tmp_path / name)
        writer.chart(Chart())
        for step in range(steps):
            loss = first if to is None else first + (to - first) * step / (steps - 1)
            writer.pulse(step, loss, math.isfinite(loss), False)
            if step < frames:
                writer.frame(Frame(step, "vitals", {"loss": loss, "loss_finite": 1.0}, {}))
        writer.close()
        return tmp_path / name

    return write
