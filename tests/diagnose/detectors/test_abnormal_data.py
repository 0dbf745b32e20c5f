from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from paramedic.diagnose.detectors.abnormal_data import AbnormalData
from paramedic.types import Severity, Window
from tests.diagnose.detectors.judging import bears_anything, fires, judge, reason
from tests.diagnose.detectors.losses import learning, resting
from tests.diagnose.windows import chart_of, window

DETECTOR = AbnormalData()


def inputs(losses: Any, spread: float = 1.0, largest: float = 3.0, **chart: Any) -> Window:
    """Ten batches with inputs of this spread and a net with a loss of guessing of 2.3."""
    facts = {"loss": "cross-entropy", "loss_mean": True, **chart}
    scalars = {
        "input_nan": [0.0] * 10,
        "input_mean": 0.0,
        "input_std": spread,
        "input_min": -largest,
        "input_max": largest,
        "label_entropy": 2.3,
    }
    return window(scalars=scalars, losses=losses, chart=chart_of(2, **facts))


WIDE = {"spread": 2 * DETECTOR.scale, "largest": 5 * DETECTOR.scale}
OUTLIER = {"spread": 1.0, "largest": 2 * DETECTOR.outlier}


def test_nan_among_the_inputs_is_always_found() -> None:
    found = fires(DETECTOR, window(scalars={"input_nan": [0.0, 0.25, 0.0]}), Severity.CRITICAL)
    assert found.evidence.items() >= {"share": 0.25, "threshold": 0.0}.items()


def test_a_large_scale_under_which_the_loss_rests() -> None:
    found = fires(DETECTOR, inputs(resting(), **WIDE), Severity.CRITICAL)
    assert found.evidence["scale"] > found.evidence["threshold"] == DETECTOR.scale


def test_an_outlier_under_which_the_loss_rests() -> None:
    found = fires(DETECTOR, inputs(resting(), **OUTLIER), Severity.CRITICAL)
    assert found.evidence["outlier"] > DETECTOR.outlier


def test_a_large_scale_after_which_the_loss_came_down_from_far_above_guessing() -> None:
    losses = learning(3 * DETECTOR.jump * 2.3, 0.1)
    fires(DETECTOR, inputs(losses, **WIDE), Severity.CRITICAL)


def test_a_large_scale_that_ends_in_nan() -> None:
    losses = np.append(learning(), np.nan)
    fires(DETECTOR, inputs(losses, **WIDE), Severity.CRITICAL)


def strained(gradient: float, saturated: float, spread: float) -> Window:
    """A net that learns, with a gradient in this proportion and so many saturated values."""
    given = inputs(learning(), spread=spread, largest=3 * spread)
    layers = {
        "weight_norm": np.ones((10, 2)),
        "grad_norm": np.full((10, 2), gradient),
        "act_saturated": np.full((10, 2), saturated),
    }
    scalars = {**given.scalars, "loss": [1.0] * 10}
    return window(layers=layers, scalars=scalars, losses=learning(), chart=given.chart)


def test_an_extreme_scale_that_shows_in_a_net_that_learns() -> None:
    far = 2 * DETECTOR.extreme
    fires(DETECTOR, strained(2 * DETECTOR.violent, 0.0, far), Severity.CRITICAL)
    fires(DETECTOR, strained(1.0, 1.0, far), Severity.CRITICAL)
    assert judge(DETECTOR, strained(1.0, 0.0, far)) is None
    assert judge(DETECTOR, strained(2 * DETECTOR.violent, 1.0, DETECTOR.extreme / 2)) is None


@pytest.mark.parametrize(
    "healthy",
    [
        inputs(resting()),
        inputs(learning(), **WIDE),
        inputs(learning(), **OUTLIER),
        inputs(resting(), **WIDE, input_kind="integer"),
        inputs([2.3] * 3, **WIDE),
    ],
    ids=["usual scale", "scale is borne", "outlier is borne", "tokens", "too early to tell"],
)
def test_silent(healthy: Window) -> None:
    assert judge(DETECTOR, healthy) is None


def test_missing() -> None:
    assert reason(DETECTOR, window(losses=resting())) == "the inputs could not be seen"


def test_anything() -> None:
    bears_anything(DETECTOR)
