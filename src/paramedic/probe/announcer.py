"""Which findings are reported while a run goes on: facts at once, the likely cause when it is due.

A finding that the engine opens is first of all evidence. A fault is reported when it is found; a
suspicion only when the run is seen not to learn, and of several only the most likely one.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from paramedic.diagnose.conclusion import Conclusion
from paramedic.diagnose.engine import Engine
from paramedic.types import Finding, Kind, Severity

_LATER = 1.25  # times the step of a check that passes before the next
_APART = 10  # and steps more


class Announcer:
    """Reports each finding once, and one suspicion at a time."""

    def __init__(self) -> None:
        self._reported: set[str] = set()
        self._next = 0

    def wake(self) -> None:
        """Something was found: check at the next opportunity."""
        self._next = 0

    def news(self, engine: Engine, step: int) -> list[Finding]:
        """What is to be reported now, with the severity and the words it is reported with."""
        if step < self._next or all(case.finding.slug in self._reported for case in engine.cases):
            return []
        self._next = int(_LATER * step) + _APART
        return list(self._new(engine.conclusion()))

    def _new(self, conclusion: Conclusion) -> Iterator[Finding]:
        for finding in (*conclusion.faults, *conclusion.symptoms):
            if finding.slug not in self._reported:
                self._reported.add(finding.slug)
                yield finding
        first = next(iter(conclusion.suspicions), None)
        if conclusion.faults or first is None or first.slug in self._reported:
            return
        self._reported.add(first.slug)
        yield as_suspicion(first, conclusion)


def as_suspicion(finding: Finding, conclusion: Conclusion) -> Finding:
    """A finding in the words of a likely cause of what is known."""
    message = f"{conclusion.assessment}. Most likely cause (not proven): {finding.message}"
    severity = Severity.WARNING if finding.kind is Kind.SUSPICION else finding.severity
    return replace(finding, message=message, severity=severity)
