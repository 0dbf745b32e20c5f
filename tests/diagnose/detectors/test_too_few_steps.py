from __future__ import annotations

import numpy as np
import pytest

from paramedic.diagnose.detectors.too_few_steps import TooFewSteps
from paramedic.types import Severity
from tests.diagnose.detectors.judging import bears_anything, fires, judge, reason
from tests.diagnose.detectors.losses import learning, resting, sloping
from tests.diagnose.windows import window

DETECTOR = TooFewSteps()
STEEP = sloping(2.3, 0.5)


def test_the_end_came_while_the_loss_fell() -> None:
    found = fires(DETECTOR, window(losses=STEEP, ended=True), Severity.INFO)
    assert found.evidence["fall"] > found.evidence["threshold"] == DETECTOR.fall


@pytest.mark.parametrize(
    "losses",
    [resting(), learning(), sloping(2.3, 2.3 * (1 - DETECTOR.fall)), resting(noise=0.5)],
    ids=["rests", "levelled off", "falls little", "noise"],
)
def test_silent(losses: np.ndarray) -> None:
    assert judge(DETECTOR, window(losses=losses, ended=True)) is None


def test_losses_that_were_not_seen() -> None:
    unseen = window(losses=[None] * DETECTOR.steps, ended=True)
    assert judge(DETECTOR, unseen) is None


def test_missing() -> None:
    assert reason(DETECTOR, window(losses=STEEP)) == "the run has not ended"
    few = reason(DETECTOR, window(losses=STEEP[:3], ended=True))
    assert few == f"too few steps: 3 of {DETECTOR.steps}"


def test_anything() -> None:
    bears_anything(DETECTOR)
