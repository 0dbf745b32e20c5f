"""What came of watching a program, as plain values: for the terminal, for JSON, for patches."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from paramedic.diagnose.causes import Diagnosis, brings_about
from paramedic.run.places import Place
from paramedic.run.sources import sources
from paramedic.types import Chart, Epoch, Finding, Remedy

SCHEMA = "paramedic/report@1"
HEALTHY, SICK, NOT_JUDGED = 0, 1, 2
_GRAVITY = {"healthy": 0, "warning": 1, "critical": 2}


@dataclass(frozen=True, slots=True)
class Record:
    """One training that was found in the program.

    `layers` and `places` are lines of the user's source: where layers were made, and where the
    optimizer was made, the loss called, `backward` called and so on.
    """

    name: str
    steps: int = 0
    frames: int = 0
    diagnosis: Diagnosis = field(default_factory=Diagnosis)
    remedies: tuple[Remedy, ...] = ()
    chart: Chart = field(default_factory=Chart)
    layers: Mapping[str, Place] = field(default_factory=dict)
    places: Mapping[str, Place] = field(default_factory=dict)
    not_measured: Mapping[str, str] = field(default_factory=dict)
    spent: Mapping[str, Any] = field(default_factory=dict)
    trace: Path | None = None
    epochs: tuple[Epoch, ...] = ()
    losses: tuple[float, ...] = ()
    called: str = ""  # how the program refers to the model where it calls it
    root_class: str = ""  # of the model, and where it was made
    root_place: Place | None = None

    @property
    def judged(self) -> bool:
        """Whether silence means health."""
        return bool(self.diagnosis.findings) or self.frames > 0

    @property
    def gravity(self) -> int:
        """0 for healthy, 1 for a warning, 2 for something critical."""
        return _GRAVITY[self.diagnosis.health]

    def source(self, finding: Finding) -> list[Place]:
        """The lines to look at for a finding, the most telling first."""
        return sources(self._located(finding), self.layers, self.places)

    def _located(self, finding: Finding) -> Finding:
        """With the layer that computes the function at the end of the net, if it is one."""
        function = finding.evidence.get("output_function")
        ends = [
            one.name for one in self.chart.layers if one.activation and one.activation == function
        ]
        return replace(finding, where=(ends[-1], *finding.where)) if ends else finding

    def remedies_for(self, finding: Finding) -> list[Remedy]:
        """What to do about a finding, the best first."""
        return [remedy for remedy in self.remedies if finding.slug in remedy.against]

    def cause_of(self, finding: Finding) -> str | None:
        """The slug of the finding that explains this one."""
        if finding not in self.diagnosis.consequences:
            return None
        for other in self.diagnosis.findings:
            if other is not finding and brings_about(other, finding):
                return other.slug
        return None if self.diagnosis.root is None else self.diagnosis.root.slug


@dataclass(frozen=True, slots=True)
class Verified:
    """What a remedy did when it was tried: a metric without and with it, after so many steps, and
    the curves of the training loss."""

    metric: str
    before: float
    after: float
    steps: int
    curves: Mapping[str, Sequence[float]] = field(default_factory=dict)

    def to_json(self) -> dict[str, Any]:
        """Plain values."""
        curves = {"curves": dict(self.curves)} if self.curves else {}
        return {
            "metric": self.metric, "before": self.before, "after": self.after,
            "steps": self.steps, **curves,
        }  # fmt: skip


@dataclass(frozen=True, slots=True)
class Outcome:
    """All trainings of a program, the gravest first. `verified` is by the slug of a remedy."""

    program: str
    records: tuple[Record, ...] = ()
    stopped: str = ""
    why_unjudged: str = ""
    verified: Mapping[str, Verified] = field(default_factory=dict)

    @property
    def verdict(self) -> str:
        """`healthy`, `sick` or `unjudged`."""
        if not any(record.judged for record in self.records):
            return "unjudged"
        return "sick" if any(record.gravity for record in self.records) else "healthy"

    @property
    def exit_code(self) -> int:
        """0 healthy, 1 sick, 2 could not judge."""
        return {"healthy": HEALTHY, "sick": SICK, "unjudged": NOT_JUDGED}[self.verdict]

    @property
    def root(self) -> Finding | None:
        """The root cause of the gravest training."""
        return self.records[0].diagnosis.root if self.records else None

    @property
    def overhead(self) -> float:
        """The largest share of the time of a training that watching it has cost."""
        return max((float(record.spent["share"]) for record in self.records if record.spent),
                   default=0.0)  # fmt: skip

    def to_json(self) -> dict[str, Any]:
        """The report `paramedic/report@1`; the root cause is the first finding."""
        first = self.records[0] if self.records else None
        trace = None if first is None or first.trace is None else str(first.trace)
        found = {
            "schema": SCHEMA,
            "program": self.program,
            "verdict": self.verdict,
            "steps": sum(record.steps for record in self.records),
            "findings": [one for record in self.records for one in self._findings(record)],
            "not_checked": [] if first is None else list(_not_checked(first)),
            "overhead": self.overhead,
            "trace": trace,
        }
        if len(self.records) > 1:
            found["trainings"] = [
                {"name": record.name, "steps": record.steps, "health": record.diagnosis.health,
                 "trace": None if record.trace is None else str(record.trace)}
                for record in self.records
            ]  # fmt: skip
        return found

    def _findings(self, record: Record) -> Iterator[dict[str, Any]]:
        for finding in record.diagnosis.findings:
            yield {
                "code": finding.code,
                "slug": finding.slug,
                "severity": finding.severity.value,
                "confidence": finding.confidence,
                "first_step": finding.evidence.get("first_step", finding.step),
                "message": finding.message,
                "where": list(finding.where),
                "source": [place.to_json() for place in record.source(finding)],
                "evidence": finding.to_json()["evidence"],
                "explained_by": record.cause_of(finding),
                "remedies": [self._remedy(one) for one in record.remedies_for(finding)],
                "training": record.name,
            }

    def _remedy(self, remedy: Remedy) -> dict[str, Any]:
        verified = self.verified.get(remedy.slug)
        return {
            "slug": remedy.slug,
            "title": remedy.title,
            "confidence": remedy.confidence,
            "safety": remedy.safety.value,
            "code": remedy.code,
            "diff": remedy.diff,
            "verified": None if verified is None else verified.to_json(),
        }


def _not_checked(record: Record) -> Iterator[dict[str, str]]:
    reasons = {**record.diagnosis.not_checked, **record.not_measured}
    for slug, why in reasons.items():
        yield {"slug": slug, "why": why}


def gravest_first(records: Sequence[Record]) -> tuple[Record, ...]:
    """Sorted by how bad it is; of equals the longest first."""
    return tuple(sorted(records, key=lambda record: (-record.gravity, -record.steps)))


def with_remedy(outcome: Outcome, remedy: Remedy) -> Outcome:
    """The same outcome, with a remedy in the place of that of the same name."""
    records = tuple(
        replace(
            record,
            remedies=tuple(
                remedy if (one.slug, one.against) == (remedy.slug, remedy.against) else one
                for one in record.remedies
            ),
        )
        for record in outcome.records
    )
    return replace(outcome, records=records)
