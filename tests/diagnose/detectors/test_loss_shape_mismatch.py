from __future__ import annotations

import pytest

from paramedic.diagnose.detectors.loss_shape_mismatch import LossShapeMismatch
from paramedic.types import Severity, Window
from tests.diagnose.detectors.judging import bears_anything, fires, judge, reason
from tests.diagnose.windows import chart_of, window

DETECTOR = LossShapeMismatch()


def compared(output: tuple[int, ...], target: tuple[int, ...], loss: str = "mse") -> Window:
    return window(chart=chart_of(1, output_shape=output, target_shape=target, loss=loss))


@pytest.mark.parametrize("loss", ["mse", "l1", "smooth-l1", "huber"])
def test_a_column_against_a_row(loss: str) -> None:
    found = fires(DETECTOR, compared((32, 1), (32,), loss), Severity.CRITICAL)
    assert found.evidence["compared_shape"] == [32, 32]
    assert found.evidence["comparisons_per_output"] == 32 > found.evidence["threshold"]


@pytest.mark.parametrize(
    "healthy",
    [
        compared((32, 1), (32, 1)),
        compared((32,), (32,)),
        compared((32, 10), (32,), "cross-entropy"),
        compared((32, 3), (1,)),
        compared((32, 3), (32,)),
    ],
    ids=["columns", "rows", "labels", "one target for all", "torch refuses"],
)
def test_silent(healthy: Window) -> None:
    assert judge(DETECTOR, healthy) is None


def test_missing() -> None:
    for given in (compared((), (32,)), compared((32,), ())):
        assert reason(DETECTOR, given) == "the shapes that the loss compares could not be seen"


def test_anything() -> None:
    bears_anything(DETECTOR)


def test_several_answers_for_each_sample_are_a_note() -> None:
    fires(DETECTOR, compared((32, 1), (32, 5)), Severity.INFO)
    fires(DETECTOR, compared((1, 32), (32, 1)), Severity.CRITICAL)
