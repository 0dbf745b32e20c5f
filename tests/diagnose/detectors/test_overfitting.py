from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from paramedic.diagnose.detectors.overfitting import Overfitting
from paramedic.types import Severity, Window
from tests.diagnose.detectors.judging import bears_anything, fires, judge, reason
from tests.diagnose.windows import series, window

DETECTOR = Overfitting()
EPOCHS = 4 * DETECTOR.epochs
FALLING = np.linspace(2.0, 0.5, EPOCHS)


def validation(rise: float) -> Any:
    """Best in the middle, at one; then up by `rise`."""
    half = EPOCHS // 2
    return np.concatenate([np.linspace(2.0, 1.0, half), np.linspace(1.0, 1.0 + rise, half + 1)[1:]])


def epochs(val_loss: Any, train_loss: Any = FALLING, **more: Any) -> Window:
    return window(epochs=series(val_loss=val_loss, train_loss=train_loss, **more))


HIGH = 5 * DETECTOR.rise
NOISE = np.where(np.arange(EPOCHS) % 2, 0.3, -0.3)


def test_the_validation_loss_rises_while_the_other_falls() -> None:
    found = fires(DETECTOR, epochs(validation(HIGH)), Severity.WARNING)
    assert found.evidence["best_epoch"] == EPOCHS // 2 - 1
    assert found.evidence["rise"] > found.evidence["threshold"] >= DETECTOR.rise * 0.99


def test_the_unit_of_the_loss_does_not_matter() -> None:
    for unit in (1e-6, 1e6):
        fires(DETECTOR, epochs(unit * validation(HIGH), unit * FALLING), Severity.WARNING)


def test_an_accuracy_that_rests_does_not_veto() -> None:
    fires(DETECTOR, epochs(validation(HIGH), val_acc=[0.9] * EPOCHS), Severity.WARNING)


@pytest.mark.parametrize(
    "healthy",
    [
        epochs(FALLING),
        epochs(validation(DETECTOR.rise / 2)),
        epochs(validation(HIGH) + NOISE),
        epochs(validation(HIGH), validation(HIGH)),
        epochs(validation(HIGH), val_acc=np.linspace(0.5, 0.9, EPOCHS)),
        epochs([*validation(0.0)[: EPOCHS // 2], 2.0]),
    ],
    ids=["falls", "rises little", "noise", "both rise", "accuracy improves", "one epoch"],
)
def test_silent(healthy: Window) -> None:
    assert judge(DETECTOR, healthy) is None


def test_missing() -> None:
    assert "monitor.epoch" in str(reason(DETECTOR, window()))
    assert "monitor.epoch" in str(reason(DETECTOR, window(epochs=series(train_loss=FALLING))))
    few = reason(DETECTOR, epochs([1.0], [1.0]))
    assert few == f"too few epochs: 1 of {DETECTOR.epochs}"


def test_anything() -> None:
    bears_anything(DETECTOR)
