from __future__ import annotations

from typing import Any

import pytest

from paramedic.diagnose.detectors.dying_relu import DyingRelu
from paramedic.types import Severity, Window
from tests.diagnose.detectors.judging import bears_anything, fires, judge, reason
from tests.diagnose.detectors.losses import learning, resting, sloping
from tests.diagnose.windows import window

DETECTOR = DyingRelu()
DEAD = (1 + DETECTOR.dead) / 2
ALIVE = DETECTOR.dead / 2


def units(*shares: float, losses: Any = None, **more: Any) -> Window:
    """Eight frames with these shares of dead units in the layers."""
    given = resting() if losses is None else losses
    return window(8, layers={"act_dead": [shares] * 8, **more}, losses=given)


def test_a_dead_layer_and_a_loss_that_rests() -> None:
    found = fires(DETECTOR, units(0.1, DEAD), Severity.CRITICAL)
    assert found.where == ("layer1",)
    assert found.evidence["dead"] == pytest.approx(DEAD)
    assert found.evidence["threshold"] == DETECTOR.dead


def test_a_functional_relu_is_seen_at_the_input_of_its_reader() -> None:
    found = fires(DETECTOR, units(ALIVE, ALIVE, input_dead=[[0.0, DEAD]] * 8), Severity.CRITICAL)
    assert found.where == ("layer1",)


@pytest.mark.parametrize(
    "healthy",
    [
        units(ALIVE, ALIVE),
        units(0.1, DEAD, losses=learning()),
        units(0.1, DEAD, losses=sloping(2.3, 2.3 * (1 - DETECTOR.learned / 2))),
    ],
    ids=["alive", "has learned", "still falls"],
)
def test_silent(healthy: Window) -> None:
    assert judge(DETECTOR, healthy) is None


def test_one_odd_batch_is_forgiven() -> None:
    shares = [[0.1]] * 7 + [[1.0]]
    assert judge(DETECTOR, window(8, layers={"act_dead": shares}, losses=resting())) is None


def test_missing() -> None:
    nan = float("nan")
    assert "no rectifier" in str(reason(DETECTOR, units(nan, nan)))
    assert reason(DETECTOR, units(DEAD, losses=[2.3])) == "too few losses were seen"
    few = window(layers={"act_dead": [[DEAD]]}, losses=resting())
    assert reason(DETECTOR, few) == "too few steps were looked at: 1"


def test_anything() -> None:
    bears_anything(DETECTOR)
