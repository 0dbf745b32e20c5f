from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from paramedic.diagnose.detectors.oscillating_loss import OscillatingLoss, turning_points
from paramedic.types import Epoch, Severity, Window
from tests.diagnose.detectors.judging import bears_anything, fires, judge, reason
from tests.diagnose.detectors.losses import resting
from tests.diagnose.windows import chart_of, window

DETECTOR = OscillatingLoss()
STEPS = 640


def swings(count: float, size: float = 2 * DETECTOR.swing, level: float = 1.0) -> Any:
    """Half swings after the first quarter of the run, which begins at a loss of one."""
    quarter = STEPS // 4
    wave = size / 2 * np.sin(np.linspace(0, np.pi * count, STEPS - quarter))
    return np.concatenate([resting(1.0, quarter), level + wave])


def run(losses: Any, momentum: float = 0.9, one_class: float = 0.0) -> Window:
    optimizer = {"name": "SGD", "momentum": momentum}
    scalars = {"target_constant": [one_class] * 8, "label_entropy": 2.3, "batch_size": 32.0}
    return window(scalars=scalars, losses=losses, chart=chart_of(1, optimizers=(optimizer,)))


MANY = DETECTOR.turns_unexplained + 6
FEW = (DETECTOR.turns + DETECTOR.turns_unexplained) // 2 + 1


def test_many_swings_need_no_cause() -> None:
    found = fires(DETECTOR, run(swings(MANY)), Severity.WARNING)
    assert found.evidence["turns"] >= found.evidence["threshold"] == DETECTOR.turns
    assert found.evidence["swing"] >= DETECTOR.swing * 0.9


def test_fewer_swings_with_a_cause() -> None:
    momentum = fires(DETECTOR, run(swings(FEW), momentum=DETECTOR.momentum), Severity.CRITICAL)
    assert "momentum" in momentum.message


def test_batches_of_one_class_need_no_swings() -> None:
    found = fires(DETECTOR, run(resting(1.0, STEPS), one_class=1.0), Severity.CRITICAL)
    assert found.evidence["one_class_batches"] == 1.0 > found.evidence["threshold"]
    assert "learning-rate-too-high" in found.explains


def test_a_net_that_is_good_at_them_all_the_same() -> None:
    given = run(resting(1.0, STEPS), one_class=1.0)
    known = Epoch(0, 1, {"val_acc": 0.95})
    assert judge(DETECTOR, replace(given, epochs=(known,) * 3)) is None


def test_a_run_that_goes_on_far_below_guessing() -> None:
    given = run(0.01 * swings(MANY))
    known = replace(given.chart, loss="cross-entropy", loss_mean=True)
    fires(DETECTOR, given, Severity.WARNING)
    assert judge(DETECTOR, replace(given, chart=known, _derived={})) is None


OVERSHOOTING = DETECTOR.momentum


@pytest.mark.parametrize(
    "healthy",
    [
        run(swings(FEW)),
        run(swings(1), OVERSHOOTING),
        run(swings(MANY, size=DETECTOR.swing_explained / 2), OVERSHOOTING),
        run(swings(MANY, size=0.1, level=(1 - DETECTOR.learned_explained) / 2), OVERSHOOTING),
        run(resting(1.0, STEPS, noise=0.5), OVERSHOOTING),
    ],
    ids=["no cause in sight", "few turns", "small", "has learned", "noise"],
)
def test_silent(healthy: Window) -> None:
    assert judge(DETECTOR, healthy) is None


def test_silent_when_the_swings_may_be_noise() -> None:
    assert judge(replace(DETECTOR, certain=1e6), run(swings(MANY))) is None


def test_turning_points() -> None:
    zigzag = np.array([0.0, 1.0, 0.0, 1.0, 0.0])
    assert turning_points(zigzag, 0.5) == 3
    assert turning_points(zigzag, 1.5) == 0
    assert turning_points(np.arange(9.0), 0.5) == 0


def test_missing() -> None:
    few = reason(DETECTOR, window(losses=resting(steps=DETECTOR.steps - 1)))
    assert few == f"too few steps: {DETECTOR.steps - 1} of {DETECTOR.steps}"
    assert reason(DETECTOR, window()) == f"too few steps: 0 of {DETECTOR.steps}"


def test_anything() -> None:
    bears_anything(DETECTOR)
