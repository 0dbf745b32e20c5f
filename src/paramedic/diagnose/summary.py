"""What there is to say at the end of an epoch, and of the run, in a line and as plain values."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from paramedic.diagnose.condition import Condition
from paramedic.types import Epoch, Event, Finding

_BRIEF = 3  # findings that are named; more are counted


@dataclass(frozen=True, slots=True)
class Summary:
    """How the run stands after some step."""

    step: int
    condition: Condition
    epochs: tuple[Epoch, ...]
    findings: tuple[Finding, ...]
    interventions: tuple[Event, ...]

    def __str__(self) -> str:
        parts = [f"{self._where()}: {self.condition}", *self._numbers()]
        if self.findings:
            parts.append(f"found: {_listed([finding.slug for finding in self.findings])}")
        if self.interventions:
            done = self._done().items()
            parts.append("done: " + ", ".join(f"{action} ×{count}" for action, count in done))
        return "; ".join(parts) + "."

    def to_json(self) -> dict[str, Any]:
        """Plain values."""
        newest = self.epochs[-1] if self.epochs else None
        return {
            **self.condition.to_json(),
            "epoch": None if newest is None else newest.epoch,
            "values": {} if newest is None else dict(newest.values),
            "findings": [finding.slug for finding in self.findings],
            "interventions": dict(self._done()),
        }

    def _where(self) -> str:
        epoch = f"Epoch {self.epochs[-1].epoch}, step" if self.epochs else "Step"
        return f"{epoch} {self.step}"

    def _done(self) -> Counter[str]:
        """Interventions that were carried out, by action."""
        applied = (event.data for event in self.interventions)
        return Counter(data["action"] for data in applied if data.get("answer") == "applied")

    def _numbers(self) -> list[str]:
        if not self.epochs:
            return []
        return [
            f"{name} {value:.4g}{_best(name, self.epochs)}"
            for name, value in self.epochs[-1].values.items()
        ]


def _best(name: str, epochs: Sequence[Epoch]) -> str:
    """Which epoch had the lowest loss, if it was not the last."""
    known = [
        (epoch.values[name], epoch.epoch)
        for epoch in epochs
        if math.isfinite(epoch.values.get(name, math.nan))
    ]
    if not name.endswith("loss") or not known or min(known)[1] == epochs[-1].epoch:
        return ""
    return f" (best {min(known)[0]:.4g} in epoch {min(known)[1]})"


def _listed(names: Sequence[str]) -> str:
    rest = len(names) - _BRIEF
    return ", ".join(names[:_BRIEF]) + (f" and {rest} more" if rest > 0 else "")
