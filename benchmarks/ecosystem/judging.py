"""Holds what Paramedic said of a run against what the run's own metric says."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ecosystem.cases import Case
from ecosystem.running import result_file

WARNINGS = ("warning", "critical")
_JUDGED = Path(__file__).parent / "warnings.json"  # which warnings are true, and why


@dataclass(frozen=True, slots=True)
class Judged:
    """One run: its own outcome (`learned`, `partly`, `failed`, or empty if it crashed), the
    verdict, and the slugs that were reported as warnings."""

    case: Case
    outcome: str
    metric: str
    verdict: str
    reason: str
    warnings: tuple[str, ...]
    causes: tuple[str, ...]
    exit_code: int
    error: str

    @property
    def right(self) -> bool:
        """Whether the verdict does not contradict the run's own metric."""
        if self.outcome == "learned":
            return self.verdict in ("learning", "cannot tell")
        return self.outcome != "failed" or self.verdict != "learning"

    @property
    def untrue(self) -> list[str]:
        """Warnings about a run that learned which were not found to be true."""
        if self.outcome != "learned" or self.case.mistake:
            return []
        known = true_warnings()
        return [slug for slug in self.warnings if f"{self.case.name}: {slug}" not in known]


def judged(case: Case, out: Path) -> Judged | None:
    """The result of a case; None if it was not run."""
    file = result_file(case, out)
    if not file.exists():
        return None
    found = json.loads(file.read_text(encoding="utf-8"))
    outcome, report = found["outcome"] or {}, found["report"] or {}
    findings = [one for training in report.get("trainings", ()) for one in training["findings"]]
    return Judged(
        case=case,
        outcome=outcome.get("outcome", ""),
        metric=_metric(outcome),
        verdict=report.get("verdict", "no report"),
        reason=report.get("reason", ""),
        warnings=tuple(_slugs(findings, lambda one: one["severity"] in WARNINGS)),
        causes=tuple(_slugs(findings, lambda one: one["role"] in ("fault", "suspicion"))),
        exit_code=report.get("exit_code", -1),
        error=found["error"],
    )


def _slugs(findings: list[dict[str, Any]], wanted: Any) -> list[str]:
    return list(dict.fromkeys(one["slug"] for one in findings if wanted(one)))


def _metric(outcome: dict[str, Any]) -> str:
    if not outcome:
        return ""
    return f"{outcome['metric']} {outcome['value']:.3g} (baseline {outcome['baseline']:.3g})"


def true_warnings() -> dict[str, str]:
    """Warnings about runs that learned which are true nevertheless, with the reason."""
    return json.loads(_JUDGED.read_text(encoding="utf-8")) if _JUDGED.exists() else {}


def totals(results: list[Judged]) -> dict[str, Any]:
    """The numbers of one half."""
    sound = [one for one in results if not one.case.mistake and one.outcome == "learned"]
    sick = [one for one in results if one.case.mistake and one.outcome == "failed"]
    return {
        "runs": len(results),
        "crashed": [one.case.key for one in results if not one.outcome],
        "healthy": len(sound),
        "healthy_learning": sum(one.verdict == "learning" for one in sound),
        "healthy_cannot_tell": sum(one.verdict == "cannot tell" for one in sound),
        "healthy_warned": sum(bool(one.warnings) for one in sound),
        "untrue_warnings": sum(len(one.untrue) for one in sound),
        "sick": len(sick),
        "sick_called_learning": sum(one.verdict == "learning" for one in sick),
        "sick_called_learning_without_fault": sum(
            one.verdict == "learning" and one.exit_code == 0 for one in sick
        ),
        "sick_verdicts": _counts([one.verdict for one in sick]),
    }


def _counts(words: list[str]) -> dict[str, int]:
    return {word: words.count(word) for word in sorted(set(words))}
