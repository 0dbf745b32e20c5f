"""Which findings are reported while a run goes on: facts at once, the likely cause when it is due.

A finding that the engine opens is first of all evidence. A fault is reported when it is found; a
suspicion only when the run is seen not to learn, and of several only the most likely one. Many
runs learn nothing in their first hundred steps, so that has to last: it is said when the run is
twice as long as when it was first seen, or over.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from paramedic.diagnose.conclusion import Conclusion
from paramedic.diagnose.engine import Engine
from paramedic.types import Finding, Kind, Severity

_LATER = 1.25  # times the step of a check that passes before the next
_APART = 10  # and steps more
_LASTING = 2  # times the step since which the run does not learn


class Announcer:
    """Reports each finding once, and one suspicion at a time."""

    def __init__(self) -> None:
        self._reported: set[str] = set()
        self._next = 0
        self._failing: int | None = None  # the step since which the run does not learn

    def wake(self) -> None:
        """Something was found: check at the next opportunity."""
        self._next = 0

    def news(self, engine: Engine, step: int, *, ended: bool = False) -> list[Finding]:
        """What is to be reported now, with the severity and the words it is reported with."""
        if step < self._next or all(case.finding.slug in self._reported for case in engine.cases):
            return []
        self._next = int(_LATER * step) + _APART
        conclusion = engine.conclusion()
        lasts = self._lasts(conclusion, step)
        return list(self._new(conclusion, lasts=lasts or ended))

    def _lasts(self, conclusion: Conclusion, step: int) -> bool:
        """Whether the run has not learned for as long as it took to see it."""
        if not conclusion.failed:
            self._failing = None
            return False
        if self._failing is None:
            self._failing = step
        return step >= _LASTING * self._failing

    def _new(self, conclusion: Conclusion, *, lasts: bool) -> Iterator[Finding]:
        for finding in (*conclusion.faults, *conclusion.symptoms):
            if finding.slug not in self._reported:
                self._reported.add(finding.slug)
                yield finding
        first = next(iter(conclusion.suspicions), None)
        if not lasts or conclusion.faults or first is None or first.slug in self._reported:
            return
        self._reported.add(first.slug)
        yield as_suspicion(first, conclusion)


def as_suspicion(finding: Finding, conclusion: Conclusion) -> Finding:
    """A finding in the words of a likely cause of what is known."""
    message = f"{conclusion.assessment}. Most likely cause (not proven): {finding.message}"
    severity = Severity.WARNING if finding.kind is Kind.SUSPICION else finding.severity
    return replace(finding, message=message, severity=severity)
