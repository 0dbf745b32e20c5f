from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from paramedic.diagnose.detectors.too_few_steps import TooFewSteps
from paramedic.types import Epoch, Severity, Task, Window
from tests.diagnose.detectors.judging import bears_anything, fires, judge, reason
from tests.diagnose.detectors.losses import learning, resting, sloping
from tests.diagnose.windows import chart_of, series, window

DETECTOR = TooFewSteps()
STEEP = sloping(2.3, 0.5)


def test_the_end_came_while_the_loss_fell() -> None:
    found = fires(DETECTOR, window(losses=STEEP, ended=True), Severity.INFO)
    assert found.evidence["fall"] > found.evidence["threshold"] == DETECTOR.fall_steady


def test_a_curve_that_bends_must_fall_more() -> None:
    bent = 0.5 + 1.8 * np.exp(-np.linspace(0, 3.6, 400))
    assert judge(DETECTOR, window(losses=bent, ended=True)) is None
    fires(replace(DETECTOR, fall=0.05), window(losses=bent, ended=True), Severity.INFO)


def test_a_language_model_has_a_high_floor() -> None:
    bent = 2.0 + 2.0 * np.exp(-np.linspace(0, 2.5, 400))
    of_text = chart_of(1, task=Task.LANGUAGE_MODEL)
    fires(DETECTOR, window(losses=bent, ended=True, chart=of_text), Severity.INFO)
    assert judge(DETECTOR, window(losses=bent, ended=True)) is None


def test_a_validation_that_rests_wants_no_more_steps() -> None:
    best_behind = [
        Epoch(place, place, {"val_loss": v}) for place, v in enumerate([1, 0.5, 2, 3, 4])
    ]
    given = replace(window(losses=STEEP, ended=True), epochs=tuple(best_behind))
    assert judge(DETECTOR, given) is None


@pytest.mark.parametrize(
    "losses",
    [
        resting(),
        learning(),
        sloping(2.3, 2.3 * (1 - DETECTOR.fall_steady)),
        sloping(2.3, 0.5) ** 8 / 1e6,
        resting(noise=0.5),
    ],
    ids=["rests", "levelled off", "falls little", "near zero", "noise"],
)
def test_silent(losses: np.ndarray) -> None:
    assert judge(DETECTOR, window(losses=losses, ended=True)) is None


def test_losses_that_were_not_seen() -> None:
    unseen = window(losses=[None] * DETECTOR.steps, ended=True)
    assert judge(DETECTOR, unseen) is None


def test_missing() -> None:
    assert reason(DETECTOR, window(losses=STEEP)) == "the run has not ended"
    few = reason(DETECTOR, window(losses=STEEP[:3], ended=True))
    assert few == f"too few steps: 3 of {DETECTOR.steps}"


def test_anything() -> None:
    bears_anything(DETECTOR)


@pytest.mark.parametrize(
    ("validation", "found"),
    [([0.7, 0.38, 0.25], True), ([0.7, 0.25, 0.25], False), ([0.7, 0.6, 0.58], False)],
    ids=["falls fast", "rests", "falls little"],
)
def test_few_epochs_tell_what_noisy_steps_do_not(validation: list[float], found: bool) -> None:
    noisy = resting(noise=0.5)
    epochs = [
        Epoch(place, place, {"train_loss": value, "val_loss": value})
        for place, value in enumerate(validation)
    ]
    given = replace(window(losses=noisy, ended=True), epochs=tuple(epochs))
    assert (judge(DETECTOR, given) is not None) == found


def test_few_epochs_that_fall_as_fast_as_ever_are_enough_to_tell() -> None:
    """The losses of the steps are too noisy, and each epoch takes less than `fall`."""

    def after(*values: float) -> Window:
        epochs = series(train_loss=values, val_loss=values)
        return window(losses=resting(), ended=True, epochs=epochs)

    found = fires(DETECTOR, after(1.0, 0.92, 0.85), Severity.INFO)
    assert found.evidence["threshold"] == DETECTOR.fall_steady < found.evidence["fall"]
    assert found.evidence["fall"] < DETECTOR.fall
    assert judge(DETECTOR, after(1.0, 0.8, 0.75)) is None
