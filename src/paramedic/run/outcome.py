"""What came of watching a program, as plain values: for the terminal, for JSON, for patches."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from paramedic.diagnose.causes import Diagnosis
from paramedic.diagnose.conclusion import Conclusion
from paramedic.diagnose.document import (
    NO_TRAINING,
    TrainingReport,
    document,
    exit_code,
    explained_by,
    overall,
)
from paramedic.diagnose.verdict import Assessment
from paramedic.run.places import Place
from paramedic.run.sources import sources
from paramedic.types import Chart, Epoch, Finding, Remedy, Verdict

_UNSEEN = Conclusion(Assessment(Verdict.TOO_EARLY, "nothing was seen yet"))


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
    conclusion: Conclusion = _UNSEEN
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
    returns: tuple[tuple[int, float], ...] = ()  # of episodes: after how many steps, and how much
    interactions: int = 0  # steps before which an environment was stepped since the last one

    @property
    def interacts(self) -> bool:
        """Whether an environment was stepped between steps of the training: reinforcement
        learning, whose data change with the model."""
        return self.interactions > 1

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
        return explained_by(finding, self.diagnosis)

    def report(self, verified: Mapping[str, Verified] | None = None) -> TrainingReport:
        """What is reported of it, with lines of the user's source."""
        return TrainingReport(
            name=self.name,
            steps=self.steps,
            conclusion=self.conclusion,
            diagnosis=self.diagnosis,
            remedies=self.remedies,
            not_checked={**self.diagnosis.not_checked, **self.not_measured},
            overhead={name: self.spent[name] for name in ("share", "seconds") if self.spent},
            trace=None if self.trace is None else str(self.trace),
            details=lambda finding: {"source": [one.to_json() for one in self.source(finding)]},
            verified={slug: one.to_json() for slug, one in (verified or {}).items()},
        )


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
    """The trainings of a program, the gravest first. `verified` is by the slug of a remedy."""

    program: str
    records: tuple[Record, ...] = ()
    stopped: str = ""
    why_unjudged: str = ""
    crashed: str = ""  # the error that the program died of
    verified: Mapping[str, Verified] = field(default_factory=dict)
    rest: tuple[str, ...] = ()  # of trainings without a record, and of what was not watched

    @property
    def assessment(self) -> Assessment:
        """The verdict on the program and why: that of a training that fails, else of one that
        learns."""
        return overall([record.conclusion for record in self.records], self._unjudged)

    @property
    def _unjudged(self) -> Assessment:
        """What is said of a program without a training."""
        if self.crashed:
            reason = f"the program ended with {self.crashed} before an optimizer took a step"
            return Assessment(Verdict.TOO_EARLY, reason)
        if self.why_unjudged:
            return Assessment(Verdict.CANNOT_TELL, self.why_unjudged)
        return NO_TRAINING

    @property
    def exit_code(self) -> int:
        """0 learning, 1 not learning, diverged or a fault, 2 too early or cannot tell."""
        return exit_code([record.conclusion for record in self.records])

    @property
    def leading(self) -> Finding | None:
        """The finding to begin with: a fault, or the most likely cause."""
        found = [record.conclusion.leading for record in self.records]
        return next((one for one in found if one is not None), None)

    @property
    def suspect(self) -> bool:
        """Whether anything was found that a patch may help against, proven or not."""
        return any(record.diagnosis.health != "healthy" for record in self.records)

    @property
    def overhead(self) -> float:
        """The largest share of the time of a training that watching it has cost."""
        return max((float(record.spent["share"]) for record in self.records if record.spent),
                   default=0.0)  # fmt: skip

    def to_json(self) -> dict[str, Any]:
        """The report `paramedic/report@2`."""
        reports = [record.report(self.verified) for record in self.records]
        rest = {"rest": list(self.rest)} if self.rest else {}
        return document(self.program, reports, unjudged=self._unjudged, **rest)


def most_serious_first(records: Sequence[Record]) -> tuple[Record, ...]:
    """Those that fail first, then those with a fault; of equals the longest first."""

    def key(record: Record) -> tuple[bool, bool, int]:
        conclusion = record.conclusion
        return not conclusion.failed, not conclusion.faults, -record.steps

    return tuple(sorted(records, key=key))


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
