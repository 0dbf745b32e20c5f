"""Which plans to try against what was found: the remedies that treat it, applied one by one."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from torch import nn

from paramedic.treat.heal.attempt import Attempt, Treatment
from paramedic.treat.plan import Edit, Plan
from paramedic.treat.remedy import Refusal, Remedy, Treated
from paramedic.types import Finding


@dataclass(frozen=True, slots=True)
class Candidate:
    """A plan to try; `treatment` says how it was made."""

    plan: Plan
    treatment: Treatment


@dataclass(frozen=True, slots=True)
class Refused:
    """A remedy that does not fit, and why; `steps` of training that finding this out took."""

    remedy: str
    why: str
    steps: int = 0


def candidates(
    base: Attempt, finding: Finding, remedies: Sequence[Remedy], tried: Collection[str]
) -> Iterator[Candidate | Refused]:
    """Each remedy that was not tried yet, applied to the plan of an attempt."""
    for remedy in remedies:
        if remedy.slug in tried:
            continue
        try:
            treated = remedy.apply(base.plan, finding)
        except Refusal as refusal:
            yield Refused(remedy.slug, str(refusal), refusal.steps)
            continue
        told = treated.description, treated.code, treated.steps
        treatment = Treatment(remedy.slug, finding.slug, *told)
        yield Candidate(with_edit(base.plan, treated), treatment)


def with_edit(before: Plan, treated: Treated) -> Plan:
    """The changed plan; what was done to its model is noted."""
    after = treated.plan
    if after.model is before.model:
        return after
    shows = str(_model(before)) != str(_model(after))
    edit = Edit(treated.description, treated.code, shows)
    return after.replace(edits=(*before.edits, edit))


def _model(plan: Plan) -> nn.Module:
    return plan.model if isinstance(plan.model, nn.Module) else plan.build_model()
