"""The report as JSON, `paramedic/report@2`: the same from `run`, `replay`, `watch` and `heal`.

`docs/report.schema.json` is its schema. `read` also takes the reports of version 1.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from paramedic.diagnose.causes import Diagnosis, brings_about
from paramedic.diagnose.conclusion import Conclusion
from paramedic.diagnose.verdict import Assessment
from paramedic.types import Finding, Remedy, Verdict

SCHEMA = "paramedic/report@2"
_OLD = "paramedic/report@1"
# Of several trainings the first of these speaks for the program.
_ORDER = (
    Verdict.DIVERGED, Verdict.NOT_LEARNING, Verdict.LEARNING, Verdict.TOO_EARLY, Verdict.CANNOT_TELL
)  # fmt: skip
NO_TRAINING = Assessment(Verdict.CANNOT_TELL, "no training was seen")

Details = Callable[[Finding], Mapping[str, Any]]


@dataclass(frozen=True, slots=True)
class TrainingReport:
    """What is reported of one training.

    `details` gives what only some know of a finding, such as lines of source; `verified` is what
    a remedy did when it was tried, by its slug.
    """

    name: str
    steps: int
    conclusion: Conclusion
    diagnosis: Diagnosis
    remedies: Sequence[Remedy] = ()
    not_checked: Mapping[str, str] = field(default_factory=dict)
    overhead: Mapping[str, float] = field(default_factory=dict)
    trace: str | None = None
    details: Details | None = None
    verified: Mapping[str, Any] = field(default_factory=dict)

    def to_json(self) -> dict[str, Any]:
        """Plain values."""
        return {
            "name": self.name,
            "steps": self.steps,
            **self.conclusion.to_json(),
            "findings": [self._finding(one, role) for one, role in _roles(self.conclusion)],
            "not_checked": [{"slug": name, "why": why} for name, why in self.not_checked.items()],
            "overhead": dict(self.overhead),
            "trace": self.trace,
        }

    def _finding(self, finding: Finding, role: str) -> dict[str, Any]:
        note = next((one for one in self.conclusion.notes if one.finding is finding), None)
        return {
            "code": finding.code,
            "slug": finding.slug,
            "kind": finding.kind.value,
            "role": role,
            "severity": self.conclusion.severity(finding).value,
            "severity_if_cause": finding.severity.value,
            "confidence": finding.confidence,
            "first_step": finding.evidence.get("first_step", finding.step),
            "last_step": None if note is None else note.until,
            "message": finding.message,
            "where": list(finding.where),
            "evidence": finding.to_json()["evidence"],
            "explained_by": explained_by(finding, self.diagnosis),
            "remedies": [self._remedy(one) for one in self.remedies if finding.slug in one.against],
            **({} if self.details is None else self.details(finding)),
        }

    def _remedy(self, remedy: Remedy) -> dict[str, Any]:
        return {
            "slug": remedy.slug,
            "title": remedy.title,
            "confidence": remedy.confidence,
            "safety": remedy.safety.value,
            "code": remedy.code,
            "diff": remedy.diff,
            "verified": self.verified.get(remedy.slug),
        }


def document(
    program: str,
    trainings: Iterable[TrainingReport],
    *,
    unjudged: Assessment = NO_TRAINING,
    **more: Any,
) -> dict[str, Any]:
    """The report of a program; `unjudged` is what is said of one without a training."""
    listed = list(trainings)
    chosen = overall([one.conclusion for one in listed], unjudged)
    return {
        "schema": SCHEMA,
        "program": program,
        "verdict": str(chosen.verdict),
        "reason": chosen.reason,
        "exit_code": exit_code([one.conclusion for one in listed]),
        "steps": sum(one.steps for one in listed),
        "trainings": [one.to_json() for one in listed],
        **more,
    }


def overall(conclusions: Sequence[Conclusion], unjudged: Assessment = NO_TRAINING) -> Assessment:
    """What speaks for several trainings: one that fails, else one that learns."""
    if not conclusions:
        return unjudged
    return min((one.assessment for one in conclusions), key=lambda one: _ORDER.index(one.verdict))


def exit_code(conclusions: Sequence[Conclusion]) -> int:
    """0 learning, 1 not learning, diverged or a fault, 2 too early or cannot tell."""
    codes = {one.exit_code for one in conclusions}
    return 1 if 1 in codes else 0 if 0 in codes else 2


def explained_by(finding: Finding, diagnosis: Diagnosis) -> str | None:
    """The slug of the finding that explains this one."""
    if finding not in diagnosis.consequences:
        return None
    for other in diagnosis.findings:
        if other is not finding and brings_about(other, finding):
            return other.slug
    return None if diagnosis.root is None else diagnosis.root.slug


def _roles(conclusion: Conclusion) -> list[tuple[Finding, str]]:
    groups = (
        (conclusion.faults, "fault"),
        (conclusion.symptoms, "symptom"),
        (conclusion.suspicions, "suspicion"),
        (conclusion.consequences, "consequence"),
        ([note.finding for note in conclusion.notes], "note"),
    )
    return [(finding, role) for findings, role in groups for finding in findings]


def read(report: Mapping[str, Any]) -> dict[str, Any]:
    """A report in the form of now; `ValueError` if it is something else.

    Version 1 did not test whether a run learns, so of its reports the verdict is not known and
    its findings are suspicions.
    """
    schema = report.get("schema")
    if schema == SCHEMA:
        return dict(report)
    if schema != _OLD:
        raise ValueError(f"`schema` must be {SCHEMA} or {_OLD} but got {schema!r}.")
    names = {one["training"]: 0 for one in report["findings"]}
    names |= {one["name"]: one["steps"] for one in report.get("trainings", ())}
    names = names or {report["program"]: report["steps"]}
    return {
        "schema": SCHEMA,
        "program": report["program"],
        **_unknown(),
        "exit_code": 2,
        "steps": report["steps"],
        "trainings": [_old_training(name, steps, report) for name, steps in names.items()],
    }


def _unknown() -> dict[str, Any]:
    reason = "this report is of version 1, which did not test whether the run learns"
    return Assessment(Verdict.CANNOT_TELL, reason).to_json()


def _old_training(name: str, steps: int, report: Mapping[str, Any]) -> dict[str, Any]:
    found = [one for one in report["findings"] if one["training"] == name]
    return {
        "name": name,
        "steps": steps or report["steps"],
        **_unknown(),
        "findings": [
            {
                **{key: value for key, value in one.items() if key != "training"},
                "kind": "suspicion",
                "role": "note",
                "severity": "info",
                "severity_if_cause": one["severity"],
                "last_step": None,
            }
            for one in found
        ],
        "not_checked": list(report["not_checked"]),
        "overhead": {"share": report["overhead"]},
        "trace": report["trace"],
    }
