from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from paramedic.diagnose.detectors.vanishing_gradient import VanishingGradient
from paramedic.types import Layer, Severity, Window
from tests.diagnose.detectors.judging import bears_anything, fires, judge, reason
from tests.diagnose.detectors.losses import learning, resting, sloping
from tests.diagnose.windows import chart_of, window

DETECTOR = VanishingGradient()
STARVED = (DETECTOR.ratio / 10, 1.0, 1.0, 1.0)


def net(*gradients: float, losses: Any = None, layers: Any = None) -> Window:
    """Layers with ten weights and these gradients each, and a loss that rests."""
    table = {"grad_norm": [gradients] * 8, "update_ratio": np.full((8, len(gradients)), 1e-3)}
    given = resting() if losses is None else losses
    return window(layers=table, losses=given, chart=chart_of(*(layers or [len(gradients)])))


def test_a_first_layer_that_starves() -> None:
    found = fires(DETECTOR, net(*STARVED), Severity.CRITICAL)
    assert found.where == ("layer0",)
    assert found.evidence["ratio"] < found.evidence["threshold"] == DETECTOR.ratio


def test_it_is_the_gradient_per_weight_that_counts() -> None:
    sizes = [Layer("first", "Linear", 10), *(Layer(f"l{n}", "Linear", 10**9) for n in range(3))]
    assert judge(DETECTOR, net(*STARVED, layers=sizes)) is None


@pytest.mark.parametrize(
    "healthy",
    [
        net(1.0, 1.0, 1.0, 1.0),
        net(10 * DETECTOR.ratio, 1.0, 1.0, 1.0),
        net(1.0, 1.0, 1.0, DETECTOR.ratio / 10),
        net(*STARVED, losses=learning()),
        net(*STARVED, losses=sloping(2.3, 2.3 * (1 - DETECTOR.learned / 2))),
    ],
    ids=["even", "smaller", "a small last layer", "has learned", "falls"],
)
def test_silent(healthy: Window) -> None:
    assert judge(DETECTOR, healthy) is None


def test_missing() -> None:
    assert reason(DETECTOR, window()) == "grad_norm: not measured"
    few = net(*STARVED, losses=resting(steps=DETECTOR.steps - 1))
    assert reason(DETECTOR, few) == "too few steps were seen"
    assert reason(DETECTOR, net(1e-9, 1.0)) == "the model has fewer than three layers"


def test_anything() -> None:
    bears_anything(DETECTOR)
