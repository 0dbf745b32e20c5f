from __future__ import annotations

import math

import pytest

from paramedic.diagnose.detectors.non_finite import NonFinite
from paramedic.types import Severity
from tests.diagnose.detectors.judging import bears_anything, fires, judge, reason
from tests.diagnose.windows import non_finite, window

DETECTOR = NonFinite()


@pytest.mark.parametrize("loss", [math.nan, math.inf, -math.inf])
def test_a_loss_that_is_not_finite(loss: float) -> None:
    found = fires(DETECTOR, window(losses=[1.0, 1.0, loss, 1.0]), Severity.CRITICAL)
    assert found.evidence["first_step"] == 2
    assert (found.evidence["steps"], found.evidence["threshold"]) == (1, DETECTOR.steps)
    assert found.evidence["origin"] == "unknown"


@pytest.mark.parametrize("part", ["grad_finite", "weight_finite"])
def test_a_gradient_or_a_weight_that_is_not_finite(part: str) -> None:
    found = fires(DETECTOR, window(scalars={part: [1, 1, 0]}, losses=[1.0] * 3), Severity.CRITICAL)
    assert found.evidence["first_step"] == 2


def test_its_origin_is_told() -> None:
    event = non_finite(2, "encoder.norm", "activation")
    found = fires(DETECTOR, window(losses=[1, 1, 1, math.nan], events=[event]), Severity.CRITICAL)
    assert found.where == ("encoder.norm",)
    assert found.message == event.message
    assert (found.evidence["origin"], found.evidence["first_step"]) == ("activation", 2)


def test_silent() -> None:
    assert judge(DETECTOR, window(losses=[1.0, None, 1e30])) is None


def test_a_step_that_was_skipped_did_no_harm() -> None:
    assert judge(DETECTOR, window(losses=[1.0, math.inf], skipped=[False, True])) is None
    scalars = {"grad_finite": [1, 0], "skipped": [0, 1]}
    assert judge(DETECTOR, window(scalars=scalars, losses=[1.0, 1.0])) is None


def test_missing() -> None:
    assert reason(DETECTOR, window()) == "no step was seen"


def test_anything() -> None:
    bears_anything(DETECTOR)
