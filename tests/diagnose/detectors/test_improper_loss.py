from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from paramedic.diagnose.detectors.improper_loss import ImproperLoss
from paramedic.types import Severity, Window
from tests.diagnose.detectors.judging import bears_anything, fires, judge, reason
from tests.diagnose.windows import chart_of, series, window

DETECTOR = ImproperLoss()
ACCURACY = series(val_acc=[0.1])


def targets(loss: str, kind: str, low: float, high: float, mean: float, **more: Any) -> Window:
    """Batches with targets in this range."""
    epochs, shape = more.pop("epochs", ()), more.pop("shape", (32, 10))
    scalars = {
        "target_min": low,
        "target_max": high,
        "target_mean": mean,
        "target_std": 1.0,
        **more,
    }
    scalars["target_classes"] = 10.0
    chart = chart_of(2, loss=loss, target_kind=kind, target_shape=shape)
    return window(DETECTOR.frames, scalars=scalars, chart=chart, epochs=epochs)


def indices(low: float = 0.0, high: float = 9.0, kind: str = "integer", **more: Any) -> Window:
    """Class numbers, none more frequent than the others, under the mean squared error."""
    given = {"target_std": 2.872, **more}
    return targets(given.pop("loss", "mse"), kind, low, high, 4.5, **given)


def test_cross_entropy_of_what_is_no_distribution() -> None:
    found = fires(DETECTOR, targets("cross-entropy", "float", -2, 3, 0.5), Severity.CRITICAL)
    assert found.evidence["target_sum"] == pytest.approx(5)
    assert found.evidence["threshold"] == DETECTOR.off


@pytest.mark.parametrize(("low", "high", "mean"), [(-1, 1, 0.1), (0, 2, 0.1), (0, 1, 0.5)])
def test_each_sign_of_no_distribution_is_enough(low: float, high: float, mean: float) -> None:
    fires(DETECTOR, targets("cross-entropy", "float", low, high, mean), Severity.CRITICAL)


def test_a_loss_of_regression_on_class_numbers() -> None:
    found = fires(DETECTOR, indices(), Severity.CRITICAL)
    assert found.evidence.items() >= {"classes": 10.0, "threshold": DETECTOR.fewest}.items()
    fires(DETECTOR, indices(kind="float", target_whole=1.0), Severity.CRITICAL)
    fires(DETECTOR, indices(target_std=1.0, epochs=ACCURACY), Severity.CRITICAL)


@pytest.mark.parametrize(
    "healthy",
    [
        targets("cross-entropy", "float", 0, 1, 0.1),
        targets("cross-entropy", "float", 0.01, 0.91, 0.1),
        targets("cross-entropy", "integer", 0, 9, 4.5),
        targets("binary-cross-entropy", "float", 0, 1, 0.5),
        indices(loss="cross-entropy"),
        indices(kind="float", target_whole=0.0, epochs=ACCURACY),
        indices(target_std=0.5),
        indices(low=-1.0, epochs=ACCURACY),
        indices(high=float(DETECTOR.fewest - 2), epochs=ACCURACY),
        indices(high=2.0 * DETECTOR.most, epochs=ACCURACY),
    ],
    ids=[
        "one-hot", "smoothed", "labels", "several labels", "right loss", "not whole", "counts",
        "negative", "few classes", "many classes",
    ],
)  # fmt: skip
def test_silent(healthy: Window) -> None:
    assert judge(DETECTOR, healthy) is None


def test_missing() -> None:
    assert "could not be seen" in str(reason(DETECTOR, window()))
    unseen = window(chart=chart_of(1, loss="mse", target_kind="float"))
    assert reason(DETECTOR, unseen) == "no targets were seen"


def test_anything() -> None:
    bears_anything(DETECTOR)


def test_a_table_of_pairs_is_no_distribution_and_need_not_be() -> None:
    pairs = targets("cross-entropy", "float", 0, 1, 0.2, shape=(32, 32), target_whole=1.0)
    chart = replace(pairs.chart, batch_size=32)
    assert judge(DETECTOR, replace(pairs, chart=chart)) is None
    fires(DETECTOR, replace(pairs, chart=replace(chart, batch_size=16)), Severity.CRITICAL)
