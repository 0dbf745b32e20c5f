"""Why a loss is no measure of progress."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from paramedic.diagnose.comparison import compare
from paramedic.diagnose.surrogate import why_surrogate
from paramedic.types import Chart
from tests.diagnose.windows import chart_of, window

STEPS = np.arange(400)
NOISE = 0.05 * np.random.default_rng(0).normal(size=400)
LEVEL = 2.3 + NOISE
FALLING = 0.3 + 2 * np.exp(-STEPS / 80) + NOISE


def _why(losses: Any, chart: Chart | None = None, **scalars: Any) -> str:
    found = window(range(0, 400, 50), losses=losses, scalars=scalars, chart=chart or chart_of(2))
    facts = compare(found)
    assert facts is not None
    return why_surrogate(found, facts)


def test_a_usual_loss_measures_progress() -> None:
    assert _why(FALLING) == _why(LEVEL) == ""


def test_what_the_chart_says_of_a_loss_unless_that_falls_by_most_of_its_size() -> None:
    chart = chart_of(2, surrogate="weights of both signs")
    assert _why(LEVEL, chart) == "weights of both signs"
    assert _why(FALLING, chart) == ""


@pytest.mark.parametrize(("passes", "said"), [(1, False), (2, True)])
def test_optimizers_that_share_a_backward_pass_share_a_loss(passes: int, said: bool) -> None:
    chart = chart_of(2, optimizers=({"name": "Adam"}, {"name": "SGD"}))
    slowly = 3 + FALLING  # by less than most of it
    assert bool(_why(slowly, chart, backwards=[passes] * 8)) is said
    assert "several optimizers" in _why(LEVEL, chart, backwards=[passes] * 8)


def test_a_contrastive_loss_near_a_random_choice() -> None:
    chart = chart_of(2, output_shape=(32, 32), target_kind="integer")
    falls = 2 * np.exp(-STEPS / 20) + NOISE / 10
    assert "among 32" in _why(np.log(32) + falls, chart, target_classes=[32.0] * 8)
    assert _why(2.0 + falls, chart, target_classes=[32.0] * 8) == ""
    # Written by hand, so that no labels are seen.
    assert "among 32" in _why(np.log(32) + falls, candidates=[32.0] * 8)
    assert _why(2.0 + falls, candidates=[32.0] * 8) == ""


def test_the_one_answer_that_all_targets_want() -> None:
    chart = chart_of(2, target_kind="integer")
    gone = 2 * np.exp(-STEPS / 20) + 0.001
    assert "the same" in _why(gone, chart, target_min=[3.0] * 8, target_max=[3.0] * 8)
    assert _why(gone, chart, target_min=[0.0] * 8, target_max=[3.0] * 8) == ""
    # The first of several candidates is right in many contrastive losses: they fall less far.
    assert _why(FALLING, chart, target_min=[0.0] * 8, target_max=[0.0] * 8) == ""


def test_values_about_zero() -> None:
    assert "around zero" in _why(np.random.default_rng(3).normal(size=400))
