"""Runs that learn nothing: notes that become warnings, and what guesses at its end."""

from __future__ import annotations

import math

import pytest

from paramedic.treat.resting import by_length, is_guess, nothing_learned, weighed
from paramedic.types import Finding, Severity
from tests.treat.plans import plan

NOTE = Finding("L003", "loss-plateau", Severity.INFO, 0.7, "it rests", 200)


def test_a_long_plan_is_judged_early_and_a_short_one_never_too_early() -> None:
    assert by_length(1000)["L002"]["steps"] == 350
    assert by_length(100)["L003"]["steps"] == 120


@pytest.mark.parametrize(
    ("accuracy", "guesses"), [(0.4, True), (0.55, True), (0.7, False), (math.nan, False)]
)
def test_guessing_is_told_beyond_chance(accuracy: float, guesses: bool) -> None:
    assert is_guess(plan(), accuracy) is guesses
    assert not is_guess(plan(metric="loss"), accuracy)


def test_a_note_is_a_warning_where_the_model_guesses() -> None:
    assert weighed(NOTE, plan(), 0.5).severity is Severity.WARNING
    assert weighed(NOTE, plan(), 0.9) is NOTE
    other = Finding("T001", "overfitting", Severity.INFO, 0.7, "by heart", 200)
    assert weighed(other, plan(), 0.5) is other


def test_a_run_that_guesses_at_its_end_has_learned_nothing() -> None:
    told = nothing_learned(plan(), 160, 0.5, 0.01)
    assert told is not None
    assert told.slug == "loss-plateau"
    assert told.severity is Severity.WARNING
    assert "no better than that of guessing" in told.message


@pytest.mark.parametrize(
    ("step", "metric", "progress"),
    [(30, 0.5, 0.01), (160, 0.9, 0.01), (160, 0.5, 0.6), (160, math.nan, 0.0)],
    ids=["too short", "learned", "learned by heart", "not measured"],
)
def test_others_are_left_alone(step: int, metric: float, progress: float) -> None:
    assert nothing_learned(plan(), step, metric, progress) is None
