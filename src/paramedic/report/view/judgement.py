"""What is known of a run besides its numbers: the diagnosis, and what belongs to it.

A replayed trace, a program that was run under watch and a trace that was closed by its writer all
come to the same `Judgement`.
"""

from __future__ import annotations

import json
import linecache
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar

from paramedic.diagnose.case import Case
from paramedic.diagnose.causes import Diagnosis
from paramedic.diagnose.conclusion import Conclusion, conclude
from paramedic.diagnose.condition import tone
from paramedic.diagnose.replay import Replay
from paramedic.diagnose.rules import DEFAULT
from paramedic.diagnose.verdict import Assessment
from paramedic.run.outcome import Record, Verified
from paramedic.trace import Trace, TraceError, validation
from paramedic.types import Finding, Remedy, Verdict

T = TypeVar("T", Finding, Remedy)
_LINES = 4  # of the user's source, per finding
NOTED = ("diagnosis", "assessment", "cases", "remedies")  # what a monitor writes into its trace


@dataclass(frozen=True, slots=True)
class SourceLine:
    """A line of the user's program."""

    place: str
    text: str


NOT_JUDGED = Conclusion(Assessment(Verdict.CANNOT_TELL, "nothing was judged yet"))


@dataclass(frozen=True, slots=True)
class Judgement:
    """The verdict on a run with its findings, remedies, lines of source and verified remedies.

    `sources` is by the slug of a finding, `verified` by that of a remedy.
    """

    diagnosis: Diagnosis = field(default_factory=Diagnosis)
    conclusion: Conclusion = NOT_JUDGED
    cases: tuple[Case, ...] = ()
    remedies: tuple[Remedy, ...] = ()
    rules: str = DEFAULT
    not_measured: Mapping[str, str] = field(default_factory=dict)
    sources: Mapping[str, tuple[SourceLine, ...]] = field(default_factory=dict)
    verified: Mapping[str, Verified] = field(default_factory=dict)

    @property
    def tone(self) -> str:
        """`healthy`, `warning`, `critical` or `unjudged`: the colours of the page."""
        return tone(self.conclusion.verdict, fault=bool(self.conclusion.faults))

    @property
    def not_checked(self) -> dict[str, str]:
        """What was not checked, and why."""
        return {**self.diagnosis.not_checked, **self.not_measured}

    def case_of(self, finding: Finding) -> Case | None:
        """The story of a finding, if it is known."""
        return next((case for case in self.cases if case.finding == finding), None)


def of_replay(replay: Replay) -> Judgement:
    """What a replay said."""
    return Judgement(
        diagnosis=replay.diagnosis,
        conclusion=replay.conclusion,
        cases=replay.cases,
        remedies=replay.remedies,
        rules=replay.rules,
    )


def of_record(record: Record, verified: Mapping[str, Verified] | None = None) -> Judgement:
    """What was found in a program that was run under watch, with lines of its source."""
    return Judgement(
        diagnosis=record.diagnosis,
        conclusion=record.conclusion,
        remedies=record.remedies,
        not_measured=record.not_measured,
        sources={
            finding.slug: tuple(
                SourceLine(str(place), linecache.getline(place.file, place.line).strip())
                for place in record.source(finding)[:_LINES]
            )
            for finding in record.diagnosis.findings
        },
        verified=verified or {},
    )


def of_trace(trace: Trace) -> Judgement | None:
    """What the monitor itself wrote when it was closed; None if it was not, or not yet."""
    return of_told(trace, {name: trace.meta(name) for name in NOTED})


def of_told(trace: Trace, told: Mapping[str, Any]) -> Judgement | None:
    """The same of what a monitor wrote anywhere in the trace, at its end or on the way."""
    if told.get("diagnosis") is None:
        return None
    try:
        diagnosis = _diagnosis(told["diagnosis"])
        noted = told.get("cases") or ()
        cases = tuple(Case(_built(Finding, one), *_story(one)) for one in noted)
        return Judgement(
            diagnosis=diagnosis,
            conclusion=conclude(diagnosis, cases, _assessment(told.get("assessment"))),
            cases=cases,
            remedies=tuple(_built(Remedy, one) for one in told.get("remedies") or ()),
        )
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise TraceError(trace.path, f"is damaged: its diagnosis is invalid: {error!r}.") from error


def _diagnosis(told: Mapping[str, Any]) -> Diagnosis:
    groups = ("others", "consequences", "set_aside")
    found = {name: tuple(_built(Finding, one) for one in told[name]) for name in groups}
    root = None if told["root"] is None else _built(Finding, told["root"])
    reasons = {str(slug): str(why) for slug, why in told["not_checked"].items()}
    return Diagnosis(root=root, not_checked=reasons, **found)


def _built(kind: type[T], told: Any) -> T:
    """From a file that may be a stranger's: every type is checked."""
    return validation.build(kind, json.dumps(told))


def _story(told: Mapping[str, Any]) -> tuple[int, int, int | None]:
    opened, seen, closed = told["opened"], told["seen"], told["closed"]
    if type(opened) is not int or type(seen) is not int or type(closed) not in (int, type(None)):
        raise ValueError(f"a case from {opened!r} to {closed!r}")
    return opened, seen, closed


def _assessment(told: Any) -> Assessment:
    """From a file that may be a stranger's, or of version 1, which noted none."""
    if told is None:
        return Assessment(Verdict.CANNOT_TELL, "the run was recorded without a verdict")
    numbers = {str(name): float(value) for name, value in told["numbers"].items()}
    return Assessment(Verdict(told["verdict"]), str(told["reason"]), numbers)
