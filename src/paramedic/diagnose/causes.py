"""Which finding is the root and which its consequences, so that one diagnosis is read, not five.

Each detector says what its sickness brings about (`explains`) and what cannot be true beside it
(`excludes`); here these words are only put together.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from paramedic.diagnose.case import Case
from paramedic.diagnose.detector import Detector
from paramedic.types import Finding, Severity

_LATE, _LATE_STEPS = 1.5, 20  # times, and steps more, that a cause may be told after its effect
_GRAVITY = {Severity.INFO: 0, Severity.WARNING: 1, Severity.CRITICAL: 2}


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """What is wrong with a run.

    `root` is the finding to act on; `consequences` are explained by it or by one of `others`,
    which stand beside it. `set_aside` were contradicted by something more certain.
    """

    root: Finding | None = None
    others: tuple[Finding, ...] = ()
    consequences: tuple[Finding, ...] = ()
    set_aside: tuple[Finding, ...] = ()
    not_checked: Mapping[str, str] = field(default_factory=dict)

    @property
    def findings(self) -> tuple[Finding, ...]:
        """Everything that holds, the root first."""
        root = () if self.root is None else (self.root,)
        return (*root, *self.others, *self.consequences)

    @property
    def health(self) -> str:
        """`healthy`, `warning` or `critical`."""
        worst = max((_GRAVITY[finding.severity] for finding in self.findings), default=0)
        return ("healthy", "warning", "critical")[worst]

    def to_json(self) -> dict[str, Any]:
        """Plain values."""
        return {
            "health": self.health,
            "root": None if self.root is None else self.root.to_json(),
            "others": [finding.to_json() for finding in self.others],
            "consequences": [finding.to_json() for finding in self.consequences],
            "set_aside": [finding.to_json() for finding in self.set_aside],
            "not_checked": dict(self.not_checked),
        }


def diagnose(
    cases: Iterable[Case],
    detectors: Iterable[Detector],
    not_checked: Mapping[str, str] | None = None,
) -> Diagnosis:
    """Put the cases of a run together."""
    kinds = {detector.slug: type(detector) for detector in detectors}
    ranked = _once_each(sorted(cases, key=_rank))
    kept, set_aside = _without_contradictions(ranked, kinds)
    ends = {case.finding.slug: case.closed for case in ranked}
    roots, consequences = _explained(kept, ends)
    return Diagnosis(
        root=roots[0] if roots else None,
        others=tuple(roots[1:]),
        consequences=tuple(consequences),
        set_aside=tuple(set_aside),
        not_checked=dict(not_checked or {}),
    )


def brings_about(cause: Finding, effect: Finding) -> bool:
    """Whether one finding explains the other.

    A detector that knows when its sickness began says so as `first_step` in the evidence; what
    was told before that has another cause. Of the others it is only known when they were told,
    and some take longer to tell than others; but not many times as long. What was built wrong
    (`by_construction`) is nobody's consequence.
    """
    if effect.evidence.get("by_construction"):
        return False
    began = cause.evidence.get("first_step")
    if isinstance(began, int):
        in_time = began <= effect.step
    else:
        in_time = cause.step <= _LATE * effect.step + _LATE_STEPS
    return effect.slug in cause.explains and in_time


def _rank(case: Case) -> tuple[Any, ...]:
    """What is grave, certain and early comes first."""
    finding = case.finding
    gravity = _GRAVITY[finding.severity]
    matters = gravity > 0
    # What has gone again comes after what is still there, but before mere notes.
    return (not matters, not case.is_open, -gravity, -finding.confidence, case.opened, finding.code)


def _once_each(ranked: Iterable[Case]) -> list[Case]:
    """A sickness that came back is one sickness: of its cases the first ranked speaks, and it
    began when the earliest did."""
    first: dict[str, Case] = {}
    began: dict[str, int] = {}
    for case in ranked:
        slug, step = case.finding.slug, case.finding.step
        first.setdefault(slug, case)
        began[slug] = min(began.get(slug, step), step)
    return [_from(case, began[slug]) for slug, case in first.items()]


def _from(case: Case, step: int) -> Case:
    if case.finding.step == step:
        return case
    return replace(case, finding=replace(case.finding, step=step))


def _without_contradictions(
    ranked: Sequence[Case], kinds: Mapping[str, type[Detector]]
) -> tuple[list[Finding], list[Finding]]:
    kept: list[Finding] = []
    set_aside: list[Finding] = []
    causes = {slug for case in ranked for slug in case.finding.explains}
    for case in sorted(ranked, key=lambda case: case.finding.slug in causes):
        finding = case.finding
        against = any(_contradict(finding, other, kinds) for other in kept)
        (set_aside if against else kept).append(finding)
    order = [case.finding for case in ranked]
    return sorted(kept, key=order.index), set_aside


def _contradict(one: Finding, other: Finding, kinds: Mapping[str, type[Detector]]) -> bool:
    if _is_moment(one) or _is_moment(other):  # what happened at one step contradicts no state
        return False
    return one.slug in _excluded(other, kinds) or other.slug in _excluded(one, kinds)


def _is_moment(finding: Finding) -> bool:
    return "moment" in finding.evidence


def _excluded(finding: Finding, kinds: Mapping[str, type[Detector]]) -> frozenset[str]:
    return kinds[finding.slug].excludes if finding.slug in kinds else frozenset()


def _explained(
    ranked: Sequence[Finding], ends: Mapping[str, int | None]
) -> tuple[list[Finding], list[Finding]]:
    """Roots and consequences. Of those that explain each other the highest ranked is the root."""
    roots: list[Finding] = []
    consequences: list[Finding] = []
    brought = {finding.slug: _brought_about(finding, ranked, ends) for finding in ranked}
    for place, finding in enumerate(ranked):
        explained = any(
            finding.slug in brought[other.slug]
            and (other.slug not in brought[finding.slug] or rank < place)
            for rank, other in enumerate(ranked)
            if other is not finding
        )
        (consequences if explained else roots).append(finding)
    return roots, consequences


def _brought_about(
    root: Finding, ranked: Sequence[Finding], ends: Mapping[str, int | None]
) -> set[str]:
    """What a finding explains, and what that explains in turn. What was gone before another
    began does not explain it."""
    reached: set[str] = set()
    waiting = [root]
    while waiting:
        cause = waiting.pop()
        end = ends[cause.slug]
        new = [
            one
            for one in ranked
            if one.slug not in reached
            and brings_about(cause, one)
            and (end is None or one.step <= end)
        ]
        reached.update(one.slug for one in new)
        waiting += new
    return reached
