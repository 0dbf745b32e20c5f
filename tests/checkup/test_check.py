from __future__ import annotations

from dataclasses import dataclass

from paramedic.checkup.check import Check, Outcome
from paramedic.checkup.patient import Patient


@dataclass(frozen=True, slots=True)
class Example(Check):
    """An example."""

    code = "C999"
    slug = "example"

    def run(self, patient: Patient) -> Outcome:
        raise NotImplementedError


def test_an_outcome_without_findings_has_its_reason() -> None:
    outcome = Example().outcome("all is well.", [None, None], number=3)
    assert outcome == Outcome("All is well.", (), {"number": 3})


def test_an_outcome_with_findings_has_their_messages() -> None:
    check = Example()
    found = check.finding("It is broken.", where=["a", "b"], ratio=0.5)
    outcome = check.outcome("all is well.", [None, found])
    assert outcome.reason == "It is broken."
    assert outcome.findings == (found,)
    assert (found.code, found.slug, found.step) == ("C999", "example", 0)
    assert found.where == ("a", "b")
    assert found.evidence == {"ratio": 0.5}
