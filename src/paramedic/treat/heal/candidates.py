"""Which plans to try against what was found: the remedies that treat it, applied one by one."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import Any, Protocol

from torch import nn

from paramedic.treat.heal.attempt import Attempt, Treatment
from paramedic.treat.plan import Edit, Plan
from paramedic.types import Finding


class Treated(Protocol):
    """What a remedy makes of a plan."""

    plan: Plan
    description: str
    code: str


class Remedial(Protocol):
    """A remedy, as far as it is used here."""

    slug: str
    against: Collection[str]

    def apply(self, plan: Plan, finding: Finding, facts: Any) -> Treated:
        """The changed plan."""


Candidate = tuple[Plan, Treatment]


def candidates(
    base: Attempt, finding: Finding, remedies: Sequence[Remedial], tried: Collection[str]
) -> Iterator[Candidate | str]:
    """Each remedy against a finding that was not tried yet, applied to the plan of an attempt;
    a sentence instead for one that does not fit."""
    for remedy in remedies:
        if finding.slug not in remedy.against or remedy.slug in tried:
            continue
        try:
            treated = remedy.apply(base.plan, finding, None)
        except ValueError as refusal:
            yield f"{remedy.slug} does not fit: {refusal}"
            continue
        yield (
            with_edit(base.plan, treated),
            Treatment(remedy.slug, finding.slug, treated.description, treated.code),
        )


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


def allowed(plan: Plan) -> list[Remedial]:
    """The remedies that a plan allows, in its order."""
    return [] if plan.remedies is None else list(plan.remedies)
