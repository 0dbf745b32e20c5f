"""Candidates: what treats the finding and was not tried; refusals are told; edits are noted."""

from __future__ import annotations

from torch import nn

from paramedic.treat.heal.candidates import Candidate, Refused, candidates
from tests.treat.doubles import ADAM, REFUSES, RELU, USELESS, Change
from tests.treat.heal.legs import attempt, finding
from tests.treat.plans import network


def test_what_was_not_tried_is_applied() -> None:
    found = list(candidates(attempt(), finding(), [USELESS, REFUSES, ADAM], {"adam"}))
    assert len(found) == 2
    assert isinstance(found[0], Candidate)
    assert found[0].plan.clip_norm == 1.0
    assert found[0].treatment.against == "vanishing-gradient"
    assert found[1] == Refused("refuses", "it has nothing to change")


def test_edits_of_the_model_are_noted() -> None:
    fresh = Change("fresh", {"model": network()})
    found = list(candidates(attempt(), finding(), [RELU, fresh, ADAM], ()))
    shown = [one.plan.edits for one in found if isinstance(one, Candidate)]
    assert [[edit.shows for edit in edits] for edits in shown] == [[True], [False], []]


def test_a_function_that_makes_the_model_is_compared_by_what_it_makes() -> None:
    base = attempt()
    base.plan = base.plan.replace(model=lambda: network(nn.Sigmoid))
    swapped = Change("swap", {"model": network(nn.Tanh)})
    (found,) = candidates(base, finding(), [swapped], ())
    assert isinstance(found, Candidate)
    assert found.plan.edits[0].shows
