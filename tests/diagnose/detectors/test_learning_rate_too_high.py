from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from paramedic.diagnose.detectors.learning_rate_too_high import LearningRateTooHigh
from paramedic.types import Severity, Window
from tests.diagnose.detectors.judging import bears_anything, fires, judge, reason
from tests.diagnose.detectors.losses import learning, resting, stepping
from tests.diagnose.windows import chart_of, window

DETECTOR = LearningRateTooHigh()
FRAMES = 24
HURT = stepping(1.0, 3 * DETECTOR.jump)  # the loss jumped and stayed there
CALM = DETECTOR.steady / 10


def steps(ratios: Any, losses: Any = HURT, *, first: int = 0, **more: Any) -> Window:
    """Two layers whose updates have these ratios to their weights."""
    scalars = {"loss": 1.0, "lr/0": 0.1, **more}
    given = {"weight_norm": scalars.pop("weights", 1.0), "grad_norm": scalars.pop("grad_norm", 1.0)}
    norms = {
        name: np.repeat(np.reshape(np.broadcast_to(value, FRAMES), (FRAMES, 1)), 2, axis=1)
        for name, value in given.items()
    }
    table = np.repeat(np.reshape(np.broadcast_to(ratios, FRAMES), (FRAMES, 1)), 2, axis=1)
    return window(
        range(first, first + FRAMES),
        layers={"update_ratio": table, **norms},
        scalars=scalars,
        losses=losses,
    )


ONE_LARGE = np.where(np.arange(FRAMES) == 5, 2 * DETECTOR.ratio, CALM)
VIOLENT = {"grad_norm": 10 * DETECTOR.violent}


def test_one_early_step_as_large_as_the_weights() -> None:
    found = fires(DETECTOR, steps(ONE_LARGE), Severity.CRITICAL)
    assert found.evidence["update_ratio"] > found.evidence["threshold"] == DETECTOR.ratio


def test_large_steps_all_the_time() -> None:
    found = fires(DETECTOR, steps(1.5 * DETECTOR.steady, first=500), Severity.CRITICAL)
    assert found.evidence["usual_update_ratio"] > DETECTOR.steady


def test_weights_that_grow_are_harm_enough() -> None:
    weights = np.geomspace(1, 2 * DETECTOR.growth, FRAMES)
    fires(DETECTOR, steps(ONE_LARGE, resting(1.0), weights=weights), Severity.CRITICAL)


def test_weights_that_swell_step_by_step() -> None:
    weights = np.geomspace(1, 3 * DETECTOR.growth, FRAMES)
    losses = stepping(1.0, 3 * DETECTOR.growth)
    fires(DETECTOR, steps(1.5 * DETECTOR.swelling, losses, weights=weights), Severity.CRITICAL)


def test_replaced_weights_are_told_although_the_net_learns() -> None:
    losses = [1.0] * 5 + [3 * DETECTOR.jump] * 2 + [1.0] * 15 + [0.8] * 20
    replaced = np.where(np.arange(FRAMES) == 0, 2 * DETECTOR.replaced, CALM)
    fires(DETECTOR, steps(replaced, losses), Severity.CRITICAL)


def test_a_rate_that_jumped_later() -> None:
    rate = np.where(np.arange(FRAMES) == 5, 2 * DETECTOR.rate_jump, 1.0)
    fires(DETECTOR, steps(ONE_LARGE, first=500, **{"lr/0": rate}), Severity.CRITICAL)


def test_a_violent_gradient_is_no_excuse_if_the_weights_have_grown() -> None:
    weights = np.geomspace(1, 2 * DETECTOR.growth, FRAMES)
    fires(DETECTOR, steps(ONE_LARGE, weights=weights, **VIOLENT), Severity.CRITICAL)


@pytest.mark.parametrize(
    "healthy",
    [
        steps(CALM),
        steps(ONE_LARGE, first=500),
        steps(ONE_LARGE, learning(3 * DETECTOR.jump, 0.1)),
        steps(ONE_LARGE, resting(1.0)),
        steps(ONE_LARGE, **VIOLENT),
    ],
    ids=["small steps", "one late step", "learns", "no harm", "the gradient is to blame"],
)
def test_silent(healthy: Window) -> None:
    assert judge(DETECTOR, healthy) is None


def test_missing() -> None:
    assert reason(DETECTOR, window()) == "update_ratio: not measured"
    assert reason(DETECTOR, steps(1.0, [1.0])) == "too few losses were seen"
    few = window(layers={"update_ratio": [[1.0]]}, losses=HURT)
    assert reason(DETECTOR, few) == "too few steps were looked at"


def test_a_loss_that_comes_down_from_where_the_first_step_threw_it_has_not_learned() -> None:
    thrown = [1.0, *np.geomspace(1e6, 10 * DETECTOR.growth, FRAMES - 1)]
    first = np.where(np.arange(FRAMES) == 0, 2 * DETECTOR.replaced, CALM)
    found = fires(DETECTOR, steps(first, thrown), Severity.CRITICAL)
    assert "not better than at the start (1, now " in found.message
    recovered = [1.0, *np.geomspace(1e6, 0.1, FRAMES - 1)]
    assert judge(DETECTOR, steps(first, recovered)) is None


FIRST_LARGE = np.where(np.arange(FRAMES) == 0, 3 * DETECTOR.replaced, CALM)
LOST = [1.0, 50.0, *[np.nan] * (FRAMES - 2)]  # too few losses to judge by


def test_the_first_steps_leave_the_finite_numbers() -> None:
    found = fires(DETECTOR, steps(FIRST_LARGE, LOST), Severity.CRITICAL)
    assert found.evidence["first_step"] == 0
    assert found.evidence["update_ratio"] == pytest.approx(3 * DETECTOR.replaced)
    assert "from step 2 on" in found.message


@pytest.mark.parametrize(
    "other",
    [
        steps(CALM, LOST),
        steps(FIRST_LARGE, LOST, **VIOLENT),
        steps(FIRST_LARGE, LOST, input_max=1e6),
        steps(ONE_LARGE, LOST),
        steps(FIRST_LARGE, [1.0, 50.0]),
    ],
    ids=[
        "small steps",
        "the gradient is to blame",
        "the inputs are",
        "large after it was lost",
        "nothing was lost",
    ],
)
def test_few_losses_say_nothing_else(other: Window) -> None:
    assert reason(DETECTOR, other) == "too few losses were seen"


def test_anything() -> None:
    bears_anything(DETECTOR)


def leap(rates: Any, losses: Any, first_rate: float = 0.1) -> Window:
    """Forty calm frames and a rate that changes at the last eight."""
    frames = np.arange(48)
    chart = chart_of(2, optimizers=({"name": "SGD", "lr": first_rate},))
    scalars = {"loss": 1.0, "lr/0": np.where(frames >= 40, rates, 0.1)}
    layers = {
        "update_ratio": np.full((48, 2), CALM),
        "weight_norm": [1.0, 1.0],
        "grad_norm": [1, 1],
    }
    calm = 1.0 + 0.01 * np.sin(frames)
    given = np.where(frames > 40, losses, calm)
    return window(48, layers=layers, scalars=scalars, losses=given, chart=chart)


def test_a_rate_that_leaps_and_hurts() -> None:
    found = fires(DETECTOR, leap(3.0, 1.5), Severity.CRITICAL)
    assert found.evidence["first_step"] == 40
    assert found.evidence["rate"] == 3.0
    assert judge(DETECTOR, leap(3.0, 1.0)) is None, "it does no harm"
    assert judge(DETECTOR, leap(0.4, 1.5)) is None, "four times is no leap"
    assert judge(DETECTOR, leap(3.0, 1.5, first_rate=3.0)) is None, "a schedule begins again"


def test_a_large_step_before_the_gradient_exploded_is_to_blame_for_it() -> None:
    place = np.arange(FRAMES)
    after = np.where(place > 5, VIOLENT["grad_norm"], 1.0)
    found = fires(DETECTOR, steps(ONE_LARGE, grad_norm=after), Severity.CRITICAL)
    assert found.evidence["update_ratio"] > found.evidence["threshold"]
    at_once = np.where(place >= 5, VIOLENT["grad_norm"], 1.0)
    assert judge(DETECTOR, steps(ONE_LARGE, grad_norm=at_once)) is None


def test_layers_that_began_at_zero_move_by_their_own_size() -> None:
    """Two of three layers are adapters; a third that was there moves a little."""

    def adapters(first_norm: float) -> Window:
        ratios = np.tile([2 * DETECTOR.ratio, 2 * DETECTOR.ratio, CALM], (FRAMES, 1))
        ratios[6:] = CALM
        norms = np.ones((FRAMES, 3))
        norms[0, :2] = first_norm
        return window(
            range(FRAMES),
            layers={"update_ratio": ratios, "weight_norm": norms, "grad_norm": np.ones(3)},
            scalars={"loss": 1.0, "lr/0": 0.1},
            losses=HURT,
        )

    assert judge(DETECTOR, adapters(0.0)) is None
    fires(DETECTOR, adapters(1.0), Severity.CRITICAL)
