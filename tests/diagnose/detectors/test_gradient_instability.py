from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from paramedic.diagnose.detectors.gradient_instability import GradientInstability
from paramedic.types import Severity, Window
from tests.diagnose.detectors.judging import bears_anything, fires, judge, reason
from tests.diagnose.detectors.losses import resting
from tests.diagnose.windows import window

DETECTOR = GradientInstability()
FRAMES = max(40, DETECTOR.frames)
SPIKES = list(range(5, 5 + 4 * DETECTOR.spikes, 4))  # well before the last eight frames


def spiky(
    gradient: float = 3 * DETECTOR.gradient,
    loss: float = 3 * DETECTOR.loss,
    at: list[int] = SPIKES,
    first: int = 20,
    began: float = 1.0,
) -> Window:
    """Gradients and losses of about one, but for jumps at some frames."""
    norms, losses = np.ones(FRAMES), np.ones(FRAMES)
    norms[at], losses[at] = gradient, loss
    return window(
        range(first, first + FRAMES),
        scalars={"grad_norm": norms, "loss": losses},
        losses=np.concatenate([resting(began, first), losses]),
    )


def test_jumps_of_gradient_and_loss() -> None:
    found = fires(DETECTOR, spiky(), Severity.WARNING)
    assert found.evidence["largest"] > found.evidence["threshold"] == DETECTOR.gradient
    assert found.evidence["largest_loss"] > DETECTOR.loss
    assert found.evidence["spikes"] == DETECTOR.spikes


@pytest.mark.parametrize(
    "healthy",
    [
        spiky(gradient=DETECTOR.gradient / 2),
        spiky(loss=DETECTOR.loss / 2),
        spiky(at=SPIKES[1:]),
        spiky(at=list(range(2, 2 + FRAMES // 3))),
        spiky(at=[*SPIKES, *range(FRAMES - 8, FRAMES)]),
        spiky(began=10 * DETECTOR.loss / DETECTOR.harm),
        spiky(at=list(range(DETECTOR.spikes)), first=0),
    ],
    ids=["gradients calm", "losses calm", "one fewer", "too many", "growth", "harmless", "start"],
)
def test_silent(healthy: Window) -> None:
    assert judge(DETECTOR, healthy) is None


def test_what_is_far_below_guessing_is_no_harm() -> None:
    given = spiky()
    above = 3 * DETECTOR.loss / DETECTOR.harm
    scalars = {**given.scalars, "label_entropy": np.full(len(given), 2 * above)}
    known = replace(given.chart, loss="cross-entropy", loss_mean=True)
    assert judge(DETECTOR, replace(given, chart=known, scalars=scalars)) is None


def test_a_reward_is_no_harm() -> None:
    """A policy's loss goes below zero, and its spikes do, too."""
    assert judge(DETECTOR, spiky(loss=-3 * DETECTOR.loss)) is None


def test_batches_of_a_rare_class_are_unlike_the_others() -> None:
    given = spiky()
    rare = np.where(given.scalar("loss") > 1, 0.0, 1.0)
    scalars = {**given.scalars, "target_constant": rare}
    assert reason(DETECTOR, replace(given, scalars=scalars)) == (
        "a rare class comes in some batches only"
    )


def test_missing() -> None:
    assert reason(DETECTOR, window(scalars={"grad_norm": [1.0]})) == "too few frames: 1"


def test_anything() -> None:
    bears_anything(DETECTOR)
