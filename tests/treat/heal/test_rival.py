"""Law 6: the untouched plan is trained as far as it takes to know that a repair is not worse."""

from __future__ import annotations

import math
from typing import Any

import pytest
from torch import nn

from paramedic.treat.heal.attempt import Attempt, Leg, Watchfulness
from paramedic.treat.heal.options import Options
from paramedic.treat.heal.rival import Rival
from paramedic.treat.heal.session import Session
from paramedic.treat.plan import Plan
from tests.treat.heal.legs import TREATMENT, finding, leg
from tests.treat.plans import plan

Curve = tuple[tuple[int, float], ...]
WHOLE = 96  # steps of the plan


def _rival(untouched: list[Leg], repaired: Curve, **changes: Any) -> tuple[Rival, Attempt]:
    """The untouched plan stands at the first of its legs, the repaired one at its end."""
    original = plan()
    session = Session(original, Options(), None, None)
    first = session.attempt(original)
    changed = session.attempt(_changed(original, **changes), TREATMENT, first)
    first.legs, changed.legs = untouched, [leg(metric, step) for step, metric in repaired]
    for one in (first, changed):
        one.points = [each.point for each in one.legs]
    first.advance(untouched[0].step, Watchfulness())
    for step, _ in repaired:
        changed.advance(step, Watchfulness())
    return Rival(session, first), changed


def _changed(original: Plan, **changes: Any) -> Plan:
    return original.replace(**changes) if changes else original


@pytest.mark.parametrize(("curve", "is_beaten"), [
    (((10, 0.3), (24, 0.6), (32, 0.9)), True),  # at step 20 it was not measured, soon after it was
    (((10, 0.3), (24, 0.3), (32, 0.9)), False),
    (((10, 0.3), (24, 0.6), (32, 0.3)), False),
])  # fmt: skip
def test_a_loss_is_told_at_the_same_step_and_at_the_end(curve: Curve, is_beaten: bool) -> None:
    rival, changed = _rival([leg(0.5)], curve)
    assert rival.is_beaten_by(changed, curve[-1][1]) is is_beaten


def test_at_the_end_a_point_counts() -> None:
    rival, changed = _rival([leg(0.9, WHOLE, ended=True)], ((48, 0.5), (WHOLE, 0.85)))
    assert not rival.is_beaten_by(changed, 0.88)
    assert rival.is_beaten_by(changed, 0.892), "what is handed back counts, not the way there"


def _legs(*curve: tuple[int, float], progress: float = 0.5) -> list[Leg]:
    return [leg(value, at, ended=at == WHOLE, progress=progress) for at, value in curve]


GOOD = ((12, 0.7), (24, 0.9), (48, 0.9), (WHOLE, 0.9))


@pytest.mark.parametrize(
    ("untouched", "trained"),
    [
        (_legs((2, 0.5), (12, 0.5), progress=0.01), 12),
        (_legs((2, 0.5), (12, 0.5), (24, 0.5)), 24),
        (_legs((2, 0.5), (12, 0.6), (24, 0.62)), 24),
        (_legs((2, 0.5), (12, 0.6), (24, 0.72), (48, 0.74)), 48),
        (_legs((2, 0.5), (12, 0.7), (24, 0.85), (48, 0.88), (WHOLE, 0.95)), WHOLE),
    ],
    ids=["nothing learned", "only the loss falls", "far behind", "later", "as good"],
)
def test_it_is_trained_until_it_is_clearly_out(untouched: list[Leg], trained: int) -> None:
    rival, changed = _rival(untouched, GOOD)
    rival.challenge(changed, 0.9)
    assert rival.untouched.step == trained


def test_what_is_better_at_the_same_step_is_trained_to_its_end() -> None:
    late = ((24, 0.55), (48, 0.6), (WHOLE, 0.95))
    rival, changed = _rival(_legs((2, 0.5), (12, 0.7), (24, 0.7), (48, 0.7), (WHOLE, 0.7)), late)
    rival.challenge(changed, 0.95)
    assert rival.untouched.step == WHOLE
    assert rival.is_beaten_by(changed, 0.95)


@pytest.mark.parametrize("broken", [
    leg(0.0, 2, point=leg().point.__class__(2, 0.1, math.nan, math.nan, 0.0)),
    leg(0.5, 2, ended=True, error="RuntimeError: no"),
])  # fmt: skip
def test_what_is_broken_is_not_trained_on(broken: Leg) -> None:
    rival, changed = _rival([broken, *_legs((12, 0.9))], GOOD)
    rival.challenge(changed, 0.9)
    assert rival.untouched.step == 2


def test_what_cannot_be_beaten_is_not_challenged() -> None:
    rival, changed = _rival(_legs((2, 0.5), (12, 0.9)), GOOD)
    rival.challenge(changed, 0.995)
    assert rival.untouched.step == 2


def test_values_of_two_losses_are_not_compared() -> None:
    rival, changed = _rival(_legs((2, 0.5), (12, 0.9)), GOOD, metric="loss", loss=nn.MSELoss())
    rival.challenge(changed, 0.1)
    assert rival.untouched.step == 2
    assert not rival.is_beaten_by(changed, 0.1), "its loss did not fall"


def test_findings_do_not_stop_it() -> None:
    legs = [leg(0.5, 2), leg(0.6, 5, findings=(finding(),)), *_legs((12, 0.6), (24, 0.62))]
    rival, changed = _rival(legs, GOOD)
    rival.challenge(changed, 0.9)
    assert rival.untouched.step == 24
