"""What is said of a run: the verdict, and each finding by what it is worth as a statement.

Only facts are warnings: symptoms that make the verdict, and faults, which are wrong whatever the
run does. Suspicions stand under a run that does not learn, as its likely causes; of a run that
learns they are notes. What acts on findings (treatment, repair, ending trials) reads the diagnosis
itself and does not depend on this.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Any

from paramedic.diagnose.case import Case
from paramedic.diagnose.causes import Diagnosis
from paramedic.diagnose.verdict import Assessment
from paramedic.types import Finding, Kind, Severity, Verdict

LEARNING, FAILED, OPEN = 0, 1, 2  # exit codes
_FAILED = (Verdict.NOT_LEARNING, Verdict.DIVERGED)
# Faults by which the loss compares the wrong things: that it falls is not learning.
_MEANINGLESS = frozenset({"loss-shape-mismatch"})
_REMARKS = frozenset({"too-good-to-be-true"})  # notes about the result, not about dynamics


@dataclass(frozen=True, slots=True)
class Note:
    """A finding that is no warning, and from when to when it was there (None: to the end)."""

    finding: Finding
    since: int
    until: int | None = None

    @property
    def interval(self) -> str:
        """In words."""
        if self.until is None:
            return f"since step {self.since:,}"
        return f"steps {self.since:,} to {self.until:,}"


@dataclass(frozen=True, slots=True)
class Conclusion:
    """The verdict on a run with what belongs to it, the most important first in each group.

    `suspicions` are the likely causes of a run that does not learn, not proven; `consequences` are
    explained by them; `notes` is everything else, above all what is over.
    """

    assessment: Assessment
    faults: tuple[Finding, ...] = ()
    symptoms: tuple[Finding, ...] = ()
    suspicions: tuple[Finding, ...] = ()
    consequences: tuple[Finding, ...] = ()
    notes: tuple[Note, ...] = field(default=())

    @property
    def verdict(self) -> Verdict:
        """Whether the run learns."""
        return self.assessment.verdict

    @property
    def failed(self) -> bool:
        """Whether the run does not learn or has diverged."""
        return self.verdict in _FAILED

    @property
    def exit_code(self) -> int:
        """0 learning, 1 not learning, diverged or a fault, 2 too early or cannot tell."""
        if self.failed or self.faults:
            return FAILED
        return LEARNING if self.verdict is Verdict.LEARNING else OPEN

    @property
    def causes(self) -> tuple[Finding, ...]:
        """Faults, then suspicions: what may be the cause, the most likely first."""
        return (*self.faults, *self.suspicions)

    @property
    def leading(self) -> Finding | None:
        """The finding to begin with, if there is anything to worry about."""
        return next(iter(self.shown), None)

    @property
    def shown(self) -> tuple[Finding, ...]:
        """What is worth showing: likely causes of a run that does not learn, and facts."""
        return (*self.causes, *self.symptoms)

    @property
    def remarks(self) -> tuple[Note, ...]:
        """Notes that are worth a line though nothing is wrong, unless the run fails."""
        if self.failed:
            return ()
        return tuple(
            note for note in self.notes if note.finding.slug in _REMARKS and note.until is None
        )

    def severity(self, finding: Finding) -> Severity:
        """How it is reported: only facts are warnings."""
        if finding in self.faults or finding in self.symptoms:
            return finding.severity
        return Severity.INFO

    def to_json(self) -> dict[str, Any]:
        """The verdict and its numbers; the findings are listed by the report."""
        return self.assessment.to_json()


def conclude(diagnosis: Diagnosis, cases: Iterable[Case], assessment: Assessment) -> Conclusion:
    """Sort what was found by what can be said of it."""
    assessment = _doubted(assessment, diagnosis)
    failed = assessment.verdict in _FAILED
    intervals = _intervals(cases)
    groups: dict[str, list[Finding]] = {}
    notes: list[Note] = []
    for finding in diagnosis.findings:
        since, until = intervals.get(finding.slug, (finding.step, None))
        name = _group(finding, diagnosis, failed=failed, over=until is not None)
        if name is None:
            notes.append(Note(finding, since, until))
        else:
            groups.setdefault(name, []).append(finding)
    return Conclusion(
        assessment, notes=tuple(notes), **{name: tuple(found) for name, found in groups.items()}
    )


def _doubted(assessment: Assessment, diagnosis: Diagnosis) -> Assessment:
    """A fall of a loss that compares the wrong things proves nothing."""
    wrong = any(
        one.slug in _MEANINGLESS and one.severity is not Severity.INFO for one in diagnosis.findings
    )
    if assessment.verdict is not Verdict.LEARNING or not wrong:
        return assessment
    reason = f"{assessment.reason}, but it does not compare each prediction with its own target"
    return replace(assessment, verdict=Verdict.CANNOT_TELL, reason=reason)


def _group(finding: Finding, diagnosis: Diagnosis, *, failed: bool, over: bool) -> str | None:
    """Where it belongs; None for a note."""
    if finding.severity is Severity.INFO:
        return None
    if finding.kind is Kind.FAULT:
        return None if over else "faults"
    if not failed:
        return None
    if finding in diagnosis.consequences:
        return "consequences"
    if finding.kind is Kind.SYMPTOM:
        return None if over else "symptoms"
    return "suspicions"


def _intervals(cases: Iterable[Case]) -> dict[str, tuple[int, int | None]]:
    """Of each slug the step at which it was first there and, if it is over, the last."""
    found: dict[str, tuple[int, int | None]] = {}
    for case in cases:
        since, until = found.get(case.finding.slug, (case.finding.step, -1))
        ends = None if until is None or case.is_open else max(until, case.seen)
        found[case.finding.slug] = (min(since, case.finding.step), ends)
    return found
