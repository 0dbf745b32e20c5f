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
from paramedic.diagnose.replay import Verdict
from paramedic.diagnose.rules import DEFAULT
from paramedic.run.outcome import Record, Verified
from paramedic.trace import Trace, TraceError, validation
from paramedic.types import Finding, Remedy

T = TypeVar("T", Finding, Remedy)
_LINES = 4  # of the user's source, per finding


@dataclass(frozen=True, slots=True)
class SourceLine:
    """A line of the user's program."""

    place: str
    text: str


@dataclass(frozen=True, slots=True)
class Judgement:
    """A diagnosis with its story, remedies, lines of source and the proof that a remedy helped.

    `judged` is False if silence does not mean health, for the reason in `why_not`. `sources` is
    by the slug of a finding, `verified` by that of a remedy.
    """

    diagnosis: Diagnosis = field(default_factory=Diagnosis)
    cases: tuple[Case, ...] = ()
    remedies: tuple[Remedy, ...] = ()
    rules: str = DEFAULT
    judged: bool = True
    why_not: str = ""
    not_measured: Mapping[str, str] = field(default_factory=dict)
    sources: Mapping[str, tuple[SourceLine, ...]] = field(default_factory=dict)
    verified: Mapping[str, Verified] = field(default_factory=dict)

    @property
    def health(self) -> str:
        """`healthy`, `warning`, `critical` or `unjudged`."""
        return self.diagnosis.health if self.judged else "unjudged"

    @property
    def not_checked(self) -> dict[str, str]:
        """What was not checked, and why."""
        return {**self.diagnosis.not_checked, **self.not_measured}

    def case_of(self, finding: Finding) -> Case | None:
        """The story of a finding, if it is known."""
        return next((case for case in self.cases if case.finding == finding), None)


def of_verdict(verdict: Verdict, detectors: int) -> Judgement:
    """What a replay said; `detectors` is how many there were."""
    able = len(verdict.diagnosis.not_checked) < detectors
    return Judgement(
        diagnosis=verdict.diagnosis,
        cases=verdict.cases,
        remedies=verdict.remedies,
        rules=verdict.rules,
        judged=bool(verdict.findings) or (verdict.frames > 0 and able),
        why_not=_why_not(verdict.frames, verdict.diagnosis),
    )


def of_record(record: Record, verified: Mapping[str, Verified] | None = None) -> Judgement:
    """What was found in a program that was run under watch, with lines of its source."""
    return Judgement(
        diagnosis=record.diagnosis,
        remedies=record.remedies,
        judged=record.judged,
        why_not=_why_not(record.frames, record.diagnosis),
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
    return of_told(trace, {name: trace.meta(name) for name in ("diagnosis", "cases", "remedies")})


def of_told(trace: Trace, told: Mapping[str, Any]) -> Judgement | None:
    """The same of what a monitor wrote anywhere in the trace, at its end or on the way."""
    if told.get("diagnosis") is None:
        return None
    try:
        diagnosis = _diagnosis(told["diagnosis"])
        cases = told.get("cases") or ()
        return Judgement(
            diagnosis=diagnosis,
            cases=tuple(Case(_built(Finding, one), *_story(one)) for one in cases),
            remedies=tuple(_built(Remedy, one) for one in told.get("remedies") or ()),
            judged=bool(diagnosis.findings) or len(trace) > 0,
            why_not=_why_not(len(trace), diagnosis),
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


def _why_not(frames: int, diagnosis: Diagnosis) -> str:
    if frames == 0:
        return "no step of it was looked at"
    reasons = set(diagnosis.not_checked.values())
    if len(reasons) == 1:
        return reasons.pop()
    return f"no detector had what it needs in {frames} frames"
