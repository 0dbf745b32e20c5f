"""What was measured, put together: one row per case, and what is counted over rows."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from statistics import mean, median
from typing import Any

from .cases import FRESH, Case, cases, floor

NAMES = {
    "VG": "vanishing gradient", "EG": "exploding gradient", "DR": "dying ReLU",
    "OL": "oscillating loss", "SC": "slow convergence", "IO": "improper output activation",
    "IL": "improper loss", "AD": "abnormal data",
}  # fmt: skip
JUDGED_SICK, JUDGED_HEALTHY = FRESH, 4 * FRESH  # numbers from which on cases were not looked at
FAR = 0.1  # of the accuracy: what a sound run does not lose from its best epoch to its end


@dataclass(frozen=True)
class Row:
    """One case, healed one way, beside the same case untouched."""

    case: Case
    outcome: dict[str, Any]
    untouched: dict[str, Any]

    @property
    def status(self) -> str:
        return str(self.outcome["status"])

    @property
    def is_judged(self) -> bool:
        """Whether it is of the part that nothing was tuned on: the higher numbers of each kind."""
        number = int(self.case.name.rpartition("-")[2])
        return number >= (JUDGED_SICK if self.case.problem else JUDGED_HEALTHY)

    @property
    def before(self) -> float:
        """The metric of the untouched run at its end; what was not finite has none: 0."""
        return float(self.untouched.get("metric") or 0.0)

    @property
    def after(self) -> float:
        return float(self.outcome.get("after") or 0.0)

    @property
    def best(self) -> float:
        """The metric of the untouched run in its best epoch."""
        known = [one["metric"] for one in self.untouched["curve"] if one["metric"] is not None]
        return max(known, default=self.before)

    @property
    def is_sound(self) -> bool:
        """Whether the untouched run ends where sound models of its data do, and not far below what
        it had reached."""
        return self.before >= floor(self.case) and self.before >= self.best - FAR

    @property
    def gain(self) -> float:
        """In points."""
        return 100 * (self.after - self.before)

    @property
    def cost(self) -> float:
        return float(self.outcome["cost"])

    @property
    def detected(self) -> bool:
        return bool(self.outcome["problems"])

    @property
    def repaired(self) -> bool:
        """Strictly: healed by its own account, and not worse than the untouched run at the end."""
        return self.status == "healed" and self.gain >= 0

    @property
    def delay(self) -> float:
        """The step of the first finding, as a share of the plan."""
        steps = self.outcome["attempts"][0]["steps"]
        share = self.outcome["attempts"][0]["cost"]
        whole = steps / share if share else 1
        return float(self.outcome["problems"][0]["step"] / max(whole, 1))

    @property
    def remedies(self) -> list[dict[str, Any]]:
        """The attempts that led to the model, oldest first."""
        chain, number = [], self.outcome["chosen"]
        while number is not None:
            chain.append(self.outcome["attempts"][number])
            number = chain[-1]["parent"]
        return [one for one in reversed(chain) if one["remedy"] != "untouched"]


@dataclass(frozen=True)
class Results:
    """Everything: rows by stage, the single effects, and what failed to run."""

    stages: dict[str, list[Row]]
    effects: list[dict[str, Any]]
    errors: list[str]

    def part(self, judged: bool) -> Results:
        """Only the part that was judged, or only the part that was tuned on."""
        rows = {
            stage: [row for row in rows if row.is_judged == judged]
            for stage, rows in self.stages.items()
        }
        return Results(rows, [], [])

    def sick(self, stage: str = "race") -> list[Row]:
        """With a fault that does harm: the untouched run is not sound."""
        return [row for row in self.stages[stage] if row.case.problem and not row.is_sound]

    def unharmed(self, stage: str = "race") -> list[Row]:
        """With a fault that the untouched run gets over."""
        return [row for row in self.stages[stage] if row.case.problem and row.is_sound]

    def healthy(self, stage: str = "race") -> list[Row]:
        """Drawn to be healthy, and so."""
        return [row for row in self.stages[stage] if not row.case.problem and row.is_sound]

    def not_so_healthy(self, stage: str = "race") -> list[Row]:
        """Drawn to be healthy, but not so."""
        return [row for row in self.stages[stage] if not row.case.problem and not row.is_sound]


def load(work: Path) -> Results:
    """Read single results."""
    found = Results({"race": [], "sequential": []}, [], [])
    for case in cases():
        for stage, rows in found.stages.items():
            result = _read(work, case, stage)
            if result is None:
                continue
            if "error" in result:
                found.errors.append(f"{case.name}, {stage}: {result['error']}")
                continue
            first = _read(work, case, "untouched")
            if first is None and result["status"] == "healthy":
                first = {"metric": result["after"], "curve": result["attempts"][0]["curve"]}
            if first is not None:
                rows.append(Row(case, result, first))
        effect = _read(work, case, "effects")
        if effect is not None and "error" not in effect:
            first = _read(work, case, "untouched") or {}
            found.effects.append({**effect, "before": first.get("metric") or 0.0})
    return found


def _read(work: Path, case: Case, stage: str) -> dict[str, Any] | None:
    path = work / f"{case.name}.{stage}.json"
    return json.loads(path.read_text()) if path.is_file() else None


def share(rows: Iterable[bool]) -> str:
    """`12 of 15 (80 %)`."""
    values = list(rows)
    if not values:
        return "—"
    return f"{sum(values)} of {len(values)} ({100 * sum(values) / len(values):.1f} %)"


def middle(values: Iterable[float], form: str = ".2f") -> str:
    """The mean, or a dash."""
    known = list(values)
    return format(mean(known), form) if known else "—"


def half(values: Iterable[float], form: str = ".2f") -> str:
    """The median, or a dash."""
    known = list(values)
    return format(median(known), form) if known else "—"
