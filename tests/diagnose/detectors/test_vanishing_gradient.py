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


def test_a_gradient_that_is_too_small_to_be_a_number() -> None:
    found = fires(DETECTOR, net(0.0, 0.0, 1.0, 1.0), Severity.CRITICAL)
    assert found.where == ("layer0", "layer1")


@pytest.mark.parametrize(("loss", "told"), [(1.0, True), (1e-6, False)])
def test_one_gradient_of_nothing_unless_the_loss_is_nothing(loss: float, told: bool) -> None:
    count = 24
    norms, losses = np.linspace(0.9, 1.1, count), np.ones(count)
    norms[-1], losses[-1] = DETECTOR.sudden / 100, loss
    given = window(
        count,
        layers={"grad_norm": np.repeat(norms[:, None], 4, axis=1)},
        scalars={"grad_norm": norms, "loss": losses},
        losses=losses,
    )
    assert (judge(DETECTOR, given) is not None) == told


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
