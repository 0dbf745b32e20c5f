from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from paramedic.diagnose.detectors.exploding_gradient import ExplodingGradient
from paramedic.types import Event, Severity, Window
from tests.diagnose.detectors.judging import bears_anything, fires, judge, reason
from tests.diagnose.detectors.losses import learning, resting, sloping
from tests.diagnose.windows import window

DETECTOR = ExplodingGradient()


def gradients(norms: Any, losses: Any, weights: Any = (1.0,), moves: float = 1e-3) -> Window:
    """A net with one layer, a loss of about one, and these norms in ten frames."""
    layers = {"weight_norm": weights, "grad_norm": norms, "update_ratio": moves}
    return window(
        10,
        layers={name: np.reshape(np.broadcast_to(v, 10), (10, 1)) for name, v in layers.items()},
        scalars={"grad_norm": norms, "loss": 1.0},
        losses=losses,
    )


VIOLENT = 3 * DETECTOR.usual
GROWING = [1e-3] * 4 + [1e-3 * 2 * DETECTOR.growth] * 6


def test_a_gradient_out_of_proportion() -> None:
    found = fires(DETECTOR, gradients(VIOLENT, resting(1.0)), Severity.CRITICAL)
    assert found.evidence["proportion"] == pytest.approx(VIOLENT)
    assert found.evidence["threshold"] == DETECTOR.usual


def test_a_gradient_that_has_grown_with_the_loss() -> None:
    found = fires(DETECTOR, gradients(GROWING, sloping(1.0, 2.0)), Severity.CRITICAL)
    assert found.evidence["growth"] > DETECTOR.growth


@pytest.mark.parametrize(
    "healthy",
    [
        gradients(DETECTOR.usual / 2, resting(1.0)),
        gradients(VIOLENT, learning()),
        gradients(VIOLENT, resting(1.0), moves=DETECTOR.still / 2),
        gradients(VIOLENT, resting(1.0), np.geomspace(1, 2 * DETECTOR.weights, 10)),
        gradients(GROWING, resting(1.0)),
        gradients([1e-3] * 4 + [1e-3 * DETECTOR.growth / 2] * 6, sloping(1.0, 2.0)),
    ],
    ids=[
        "in proportion",
        "learns",
        "does not move",
        "the weights grew",
        "grew but no harm",
        "grew little",
    ],
)
def test_silent(healthy: Window) -> None:
    assert judge(DETECTOR, healthy) is None


def test_the_scale_of_the_loss_does_not_matter() -> None:
    """A sum instead of a mean multiplies loss and gradient alike."""
    for scale in (1e-4, 1e4):
        given = window(
            10,
            layers={
                "weight_norm": [[1.0]] * 10,
                "grad_norm": [[scale * DETECTOR.usual / 2]] * 10,
            },
            scalars={"loss": scale},
            losses=resting(scale),
        )
        assert judge(DETECTOR, given) is None


def test_a_loss_that_explodes_takes_its_gradient_along() -> None:
    losses = np.geomspace(1.0, 2 * DETECTOR.growth, 10)
    given = window(
        10,
        layers={"weight_norm": [[1.0]] * 10, "grad_norm": losses.reshape(10, 1)},
        scalars={"loss": losses},
        losses=np.geomspace(1.0, 2 * DETECTOR.growth, 100),
    )
    assert judge(DETECTOR, given) is None


def test_missing() -> None:
    assert reason(DETECTOR, window()) == "grad_norm, weight_norm: not measured"
    assert reason(DETECTOR, gradients(VIOLENT, [1.0])) == "too few steps were seen"


def test_anything() -> None:
    bears_anything(DETECTOR)


def test_a_layer_that_was_idle_may_wake_up() -> None:
    """The usual norm of a typical layer is 1; the last one leaps to ten times that."""

    def leaps(usual: float) -> bool:
        moves = {"first": 1.0, "middle": 1.0, "last": 10 / usual}
        data = {"ratio": 1.0, "usual": 3**0.5, "rows": 3, "up": {"last": [10.0, usual, 9.0]}}
        event = Event(7, "jump", "", {**data, "moves": moves})
        return "last" in DETECTOR.leaping(event, [(name, "Linear") for name in moves])

    assert leaps(usual=2 * DETECTOR.idle)
    assert not leaps(usual=DETECTOR.idle / 2)
