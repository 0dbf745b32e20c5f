from __future__ import annotations

from paramedic.diagnose.detectors.missing_zero_grad import MissingZeroGrad
from paramedic.types import Severity
from tests.diagnose.detectors.judging import bears_anything, fires, judge, reason
from tests.diagnose.windows import window

DETECTOR = MissingZeroGrad()
CARRIED = [1.0] * DETECTOR.frames


def test_a_gradient_that_is_always_carried_over() -> None:
    found = fires(DETECTOR, window(scalars={"grad_carried": [0.0, *CARRIED]}), Severity.CRITICAL)
    assert found.evidence["frames_with_old_gradients"] == DETECTOR.frames
    assert found.evidence["threshold"] == DETECTOR.frames


def test_one_clean_step_is_enough() -> None:
    assert judge(DETECTOR, window(scalars={"grad_carried": [1.0, *CARRIED[1:], 0.0]})) is None


def test_steps_that_were_not_looked_at_do_not_count() -> None:
    given = [1.0, *CARRIED, float("nan")]
    fires(DETECTOR, window(scalars={"grad_carried": given}), Severity.CRITICAL)


def test_missing() -> None:
    assert reason(DETECTOR, window()) == "grad_carried: not measured"
    few = reason(DETECTOR, window(scalars={"grad_carried": CARRIED}))
    assert few == f"too few steps were looked at: {DETECTOR.frames}"


def test_anything() -> None:
    bears_anything(DETECTOR)
