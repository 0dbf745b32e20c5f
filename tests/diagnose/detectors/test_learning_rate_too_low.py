from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from paramedic.diagnose.detectors.learning_rate_too_low import LearningRateTooLow
from paramedic.types import Severity, Window
from tests.diagnose.detectors.judging import bears_anything, fires, judge, reason
from tests.diagnose.detectors.losses import learning, resting
from tests.diagnose.windows import window

DETECTOR = LearningRateTooLow()
TINY = DETECTOR.ratio / 10


def steps(ratios: Any = TINY, losses: Any = None, rate: Any = 1e-6, gradients: Any = 1.0) -> Window:
    """Ten frames of three layers whose updates have these ratios to their weights."""
    return window(
        10,
        layers={
            "update_ratio": np.broadcast_to(ratios, (10, 3)),
            "grad_norm": np.broadcast_to(gradients, (10, 3)),
        },
        scalars={"lr/0": rate},
        losses=resting() if losses is None else losses,
    )


ONE_LARGER = np.where(np.arange(10) == 3, 10 * DETECTOR.ratio, TINY)[:, None]


def test_weights_that_hardly_move() -> None:
    found = fires(DETECTOR, steps(), Severity.WARNING)
    assert found.evidence["update_ratio"] == pytest.approx(TINY)
    assert found.evidence["threshold"] == DETECTOR.ratio


def test_weights_that_do_not_move_at_all() -> None:
    fires(DETECTOR, steps(0.0), Severity.WARNING)


@pytest.mark.parametrize(
    "healthy",
    [
        steps(10 * DETECTOR.ratio),
        steps(ONE_LARGER),
        steps(losses=learning()),
        steps(rate=np.linspace(1e-6, 1e-5, 10)),
        steps(gradients=[1e-9, 1e-4, 1.0]),
    ],
    ids=["usual steps", "one usual step", "has learned", "warm-up", "gradients are blocked"],
)
def test_silent(healthy: Window) -> None:
    assert judge(DETECTOR, healthy) is None


def test_missing() -> None:
    assert reason(DETECTOR, window()) == "update_ratio: not measured"
    few = steps(losses=resting(steps=DETECTOR.steps - 1))
    assert reason(DETECTOR, few) == "too few losses were seen"
    assert reason(DETECTOR, steps(np.nan)) == "weights were not measured"


def test_anything() -> None:
    bears_anything(DETECTOR)
