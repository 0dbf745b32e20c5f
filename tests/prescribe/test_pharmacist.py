from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from paramedic.diagnose.causes import Diagnosis
from paramedic.diagnose.detector import Detector
from paramedic.diagnose.rules import rules
from paramedic.prescribe.confidence import Outcome, Outcomes
from paramedic.prescribe.cures import cure_named, cures_for
from paramedic.prescribe.pharmacist import Pharmacist, by_problem, prescribe, remedies_for
from paramedic.types import Finding, Remedy, Safety, Window
from tests.diagnose.windows import chart_of, window
from tests.prescribe.cases import SGD, finding

ZERO = finding("missing-zero-grad")
OVER = finding("overfitting")


@dataclass(frozen=True, slots=True)
class Theirs(Detector):
    """Somebody else's detector."""

    code = "Z001"
    slug = "missing-zero-grad"

    given: Any = ()

    def examine(self, window: Window) -> Finding | None:
        return None

    def prescribe(self, finding: Finding) -> Iterable[Remedy]:
        if self.given == "broken":
            raise RuntimeError("no ink")
        return list(self.given)


def test_advice_without_a_line_where_none_could_be_pasted() -> None:
    seen = window(chart=chart_of(1, optimizers=({**SGD, "framework": "keras"},)))
    (remedy,) = remedies_for(ZERO, seen, outcomes=Outcomes())
    assert remedy.title
    assert remedy.code == ""


def test_a_remedy_has_all_it_needs() -> None:
    (remedy,) = remedies_for(ZERO, window(), outcomes=Outcomes())
    assert remedy.slug == "zero-grad"
    assert remedy.safety is Safety.SAFE
    assert remedy.confidence == pytest.approx((0.5 + 0.5 * 0.95) / 1.5)
    assert remedy.against == ("missing-zero-grad",)
    assert remedy.code.startswith("optimizer.zero_grad()")
    assert remedy.ground == "0.95 by our estimate; not measured by us"


def test_below_one_half_nothing_is_advised() -> None:
    failed = Outcomes((Outcome("missing-zero-grad", "zero-grad", 0, 20),))
    assert remedies_for(ZERO, window(), outcomes=failed) == ()
    (unsure,) = remedies_for(ZERO, window(), outcomes=failed, least=0.0)
    assert unsure.confidence < 0.1
    assert "worked in 0 of 20 measured repairs" in unsure.ground


def test_what_is_measured_changes_the_order() -> None:
    seen = window(epochs=[{"val_loss": 1.0}])
    for slug in ("stop-early", "more-dropout"):
        better = Outcomes((Outcome("overfitting", slug, 50, 50),))
        assert remedies_for(OVER, seen, outcomes=better)[0].slug == slug


@pytest.mark.parametrize("problem", sorted({kind.slug for kind in rules()}))
def test_every_problem_is_answered_without_an_error(
    problem: str, caplog: pytest.LogCaptureFixture
) -> None:
    seen = window(20, chart=chart_of(3, optimizers=(SGD,)), scalars={"grad_norm": 1.0})
    given = remedies_for(finding(problem), seen, least=0.0)
    assert len(given) <= len(cures_for(problem))
    assert caplog.text == ""


def test_a_failing_cure_is_left_out(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(*_: object) -> None:
        raise RuntimeError("spilt")

    monkeypatch.setattr(type(cure_named("zero-grad")), "dose", fail)
    assert remedies_for(ZERO, window()) == ()
    assert "spilt" in caplog.text


def test_the_remedies_of_a_plug_in_are_merged_in() -> None:
    sure = Remedy("coffee", "Drink coffee", 0.99)
    unsure = Remedy("tea", "Drink tea", 0.3)
    found = remedies_for(ZERO, window(), [Theirs(given=(sure, unsure))])
    assert [one.slug for one in found] == ["coffee", "zero-grad"]
    assert found[0].ground == "by the detector Z001"
    assert found[0].against == ("missing-zero-grad",)
    other = remedies_for(OVER, window(), [Theirs(given=(sure,))])
    assert "coffee" not in [one.slug for one in other]


def test_a_broken_plug_in_does_no_harm(caplog: pytest.LogCaptureFixture) -> None:
    assert [r.slug for r in remedies_for(ZERO, window(), [Theirs(given="broken")])] == ["zero-grad"]
    assert "no ink" in caplog.text
    nonsense = Theirs(given=("coffee", Remedy("tea", "Drink tea", float("nan"))))
    assert [r.slug for r in remedies_for(ZERO, window(), [nonsense])] == ["zero-grad"]


def test_a_healthy_run_needs_nothing() -> None:
    assert prescribe(Diagnosis(), window()) == ()


def test_consequences_go_with_their_root() -> None:
    diagnosis = Diagnosis(root=ZERO, consequences=(OVER,))
    assert [one.slug for one in prescribe(diagnosis, window())] == ["zero-grad"]


def test_what_stands_beside_the_root_is_treated_too() -> None:
    found = prescribe(Diagnosis(root=ZERO, others=(OVER,)), window(epochs=[{"val_loss": 1.0}]))
    assert found[0].slug == "zero-grad"
    assert by_problem(found)["overfitting"]
    assert set(by_problem(found)) == {"missing-zero-grad", "overfitting"}


def test_values_are_of_the_time_when_it_was_told() -> None:
    found = finding("loss-explosion", step=30)
    pharmacist = Pharmacist()
    pharmacist.see(found, window(scalars={"grad_norm": np.full(30, 2.0)}))
    later = window(range(100, 160), scalars={"grad_norm": np.full(60, 1e9)})
    clip = by_slug(pharmacist.remedies(Diagnosis(root=found), later))["clip-gradients"]
    assert clip.args == {"max_norm": 2.0}


def test_several_problems_make_an_emergency() -> None:
    pharmacist = Pharmacist()
    event = pharmacist.emergency(Diagnosis(root=ZERO, others=(OVER,)), window())
    assert event is not None
    assert event.problems == ("missing-zero-grad", "overfitting")
    assert event.best is not None
    assert event.best.slug == "zero-grad"
    assert pharmacist.emergency(Diagnosis(root=ZERO), window()) is None


def by_slug(remedies: tuple[Remedy, ...]) -> dict[str, Remedy]:
    return {one.slug: one for one in remedies}


def test_one_odd_step_is_no_reason_for_another_net() -> None:
    def advised(**evidence: Any) -> set[str]:
        found = finding("exploding-gradient", **evidence)
        return {one.slug for one in remedies_for(found, window(chart=chart_of(3)), least=0.0)}

    assert {"clip-gradients", "reinitialise"} <= advised()
    assert "clip-gradients" in advised(moment=40)
    assert not {"reinitialise", "add-normalisation"} & advised(moment=40)
