from __future__ import annotations

import numpy as np
import pytest

from paramedic.diagnose.detectors.no_more_gain import NoMoreGain
from paramedic.types import Severity
from tests.diagnose.detectors.judging import bears_anything, fires, judge, reason
from tests.diagnose.windows import series, window

DETECTOR = NoMoreGain()
EPOCHS = 2 * DETECTOR.epochs
BEST = EPOCHS // 4
OVER = [*np.linspace(2.0, 1.0, BEST), *[1.1] * (EPOCHS - BEST)]  # best at a quarter


@pytest.mark.parametrize("name", ["val_loss", "train_loss"])
def test_the_best_is_long_past(name: str) -> None:
    found = fires(DETECTOR, window(epochs=series(**{name: OVER})), Severity.INFO)
    assert (found.evidence["best"], found.evidence["latest"]) == (1.0, 1.1)
    assert found.evidence["epochs_since"] == EPOCHS - BEST
    assert found.evidence["threshold"] == DETECTOR.share


def test_the_validation_loss_counts_if_there_is_one() -> None:
    falling = np.linspace(2.0, 1.0, EPOCHS)
    assert judge(DETECTOR, window(epochs=series(train_loss=OVER, val_loss=falling))) is None


@pytest.mark.parametrize(
    "losses",
    [
        np.linspace(2.0, 1.0, EPOCHS),
        [*OVER[:-1], 1.0 - 2 * DETECTOR.gain],
        np.linspace(1.0, 2.0, EPOCHS),
    ],
    ids=["still falls", "a new best", "never gained"],
)
def test_silent(losses: np.ndarray) -> None:
    assert judge(DETECTOR, window(epochs=series(val_loss=losses))) is None


def test_epochs_without_a_value_do_not_count() -> None:
    given = [value for pair in zip(OVER, [np.nan] * EPOCHS, strict=True) for value in pair]
    fires(DETECTOR, window(epochs=series(val_loss=given)), Severity.INFO)


def test_missing() -> None:
    assert "monitor.epoch" in str(reason(DETECTOR, window()))
    few = reason(DETECTOR, window(epochs=series(val_loss=[1.0])))
    assert few == f"too few epochs: 1 of {DETECTOR.epochs}"


def test_anything() -> None:
    bears_anything(DETECTOR)
