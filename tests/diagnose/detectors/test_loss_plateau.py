from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from paramedic.diagnose.detectors.loss_plateau import LossPlateau
from paramedic.types import Layer, Severity, Task
from tests.diagnose.detectors.judging import bears_anything, fires, judge, reason
from tests.diagnose.detectors.losses import learning, resting, sloping
from tests.diagnose.windows import chart_of, series, window

DETECTOR = LossPlateau()
BETWEEN = 1 - (DETECTOR.learned + DETECTOR.learned_language) / 2  # of the loss is left


GUESSED: Any = {
    "chart": chart_of(2, loss="cross-entropy", loss_mean=True),
    "scalars": {"label_entropy": 2.3},
}  # the loss of guessing is known


def test_a_loss_that_rests_where_it_began() -> None:
    found = fires(DETECTOR, window(2, losses=resting(), ended=True, **GUESSED), Severity.WARNING)
    assert found.evidence["learned"] < found.evidence["threshold"] == DETECTOR.learned


def test_a_long_run_is_judged_before_its_end() -> None:
    fires(DETECTOR, window(2, losses=resting(steps=DETECTOR.steps), **GUESSED), Severity.WARNING)


def test_where_guessing_is_not_known_it_is_a_note() -> None:
    fires(DETECTOR, window(losses=resting(), ended=True), Severity.INFO)


def test_a_single_layer_may_be_too_simple() -> None:
    single = chart_of(1, loss="cross-entropy", loss_mean=True)
    given = {"losses": learning(2.3, 1.0), "ended": True, "scalars": {"label_entropy": 2.3}}
    found = fires(DETECTOR, window(2, chart=single, **given), Severity.INFO)
    assert found.evidence["threshold"] == DETECTOR.learned_single
    assert 0 < found.evidence["first_step"] < len(given["losses"]) / 2
    assert judge(DETECTOR, window(2, chart=GUESSED["chart"], **given)) is None


def test_forgotten_activations_are_told() -> None:
    given: Any = {"losses": resting(), "ended": True, "scalars": {"label_entropy": 2.3}}
    straight = replace(GUESSED["chart"], straight=True)
    found = fires(DETECTOR, window(2, chart=straight, **given), Severity.WARNING)
    assert "No activation function stands between its layers" in found.message
    bent = replace(straight, straight=False)
    found = fires(DETECTOR, window(2, chart=bent, **given), Severity.WARNING)
    assert "activation function" not in found.message


def test_a_run_that_goes_on_from_a_good_one_may_rest() -> None:
    assert judge(DETECTOR, window(2, losses=resting(0.1), ended=True, **GUESSED)) is None


@pytest.mark.parametrize(
    "losses",
    [learning(), sloping(2.3, 4.0), sloping(2.3, 2.3 * BETWEEN)],
    ids=["has learned", "rises", "still gains"],
)
def test_silent(losses: np.ndarray) -> None:
    assert judge(DETECTOR, window(losses=losses, ended=True)) is None


def test_a_language_model_may_rest_earlier() -> None:
    losses = learning(5.0, 5.0 * BETWEEN)
    fires(DETECTOR, window(losses=losses, ended=True), Severity.INFO)
    language = chart_of(1, task=Task.LANGUAGE_MODEL)
    assert judge(DETECTOR, window(losses=losses, ended=True, chart=language)) is None


def test_missing() -> None:
    assert reason(DETECTOR, window()) == "too few losses were seen"
    early = reason(DETECTOR, window(losses=resting()))
    assert early == f"judged at the end of a run or after {DETECTOR.steps} steps"


def test_anything() -> None:
    bears_anything(DETECTOR)


def _wide(width: int) -> Any:
    layers = (Layer("body", "Conv1d", 40, fan_in=9), Layer("head", "Linear", 8, fan_in=width))
    return chart_of(*layers, loss="cross-entropy", loss_mean=True)


def test_a_net_through_which_a_single_number_goes_was_built_so() -> None:
    given = {"losses": resting(), "ended": True, "scalars": {"label_entropy": 2.3}}
    narrow = fires(DETECTOR, window(2, chart=_wide(1), **given), Severity.WARNING)
    wide = fires(DETECTOR, window(2, chart=_wide(2), **given), Severity.WARNING)
    assert "single number" in narrow.message
    assert "single number" not in wide.message
    assert (narrow.evidence["by_construction"], wide.evidence["by_construction"]) == (True, False)
    assert narrow.evidence["first_step"] == 0
    assert {"vanishing-gradient", "saturated-activation"} <= set(narrow.explains)
    assert "vanishing-gradient" not in wide.explains


def test_a_validation_loss_that_fell_in_every_epoch_makes_it_a_note() -> None:
    def after(validation: list[float]) -> Any:
        epochs = series(val_loss=validation)
        return window(2, losses=resting(), ended=True, epochs=epochs, **GUESSED)

    fires(DETECTOR, after([2.5, 2.4, 2.35, 2.34, 2.339]), Severity.INFO)
    fires(DETECTOR, after([2.5, 2.4, 2.35, 2.36, 2.339]), Severity.WARNING)


def test_a_narrow_net_may_creep_and_rests_all_the_same() -> None:
    given = {"losses": sloping(2.3, 2.0), "ended": True, "scalars": {"label_entropy": 2.3}}
    fires(DETECTOR, window(2, chart=_wide(1), **given), Severity.WARNING)
    assert judge(DETECTOR, window(2, chart=_wide(2), **given)) is None
