"""Candidates: what treats the finding and was not tried; refusals are told; edits are noted."""

from __future__ import annotations

from torch import nn

from paramedic.treat.heal.candidates import candidates
from tests.treat.doubles import ADAM, REFUSES, RELU, USELESS, Change
from tests.treat.heal.legs import attempt, finding
from tests.treat.plans import network


def test_what_treats_the_finding_and_was_not_tried() -> None:
    other = Change("other", {"epochs": 3}, ("overfitting",))
    found = list(candidates(attempt(), finding(), [USELESS, other, REFUSES, ADAM], {"adam"}))
    assert len(found) == 2
    assert isinstance(found[0], tuple)
    assert found[0][0].clip_norm == 1.0
    assert found[0][1].against == "vanishing-gradient"
    assert found[1] == "refuses does not fit: it has nothing to change"


def test_edits_of_the_model_are_noted() -> None:
    fresh = Change("fresh", {"model": network()})
    found = list(candidates(attempt(), finding(), [RELU, fresh, ADAM], ()))
    shown = [one[0].edits for one in found if isinstance(one, tuple)]
    assert [[edit.shows for edit in edits] for edits in shown] == [[True], [False], []]


def test_a_function_that_makes_the_model_is_compared_by_what_it_makes() -> None:
    base = attempt()
    base.plan = base.plan.replace(model=lambda: network(nn.Sigmoid))
    swapped = Change("swap", {"model": network(nn.Tanh)})
    (found,) = candidates(base, finding(), [swapped], ())
    assert isinstance(found, tuple)
    assert found[0].edits[0].shows
