from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from paramedic.diagnose.detectors.too_good_to_be_true import TooGoodToBeTrue
from paramedic.types import Severity, Task, Window
from tests.diagnose.detectors.judging import bears_anything, fires, judge, reason
from tests.diagnose.windows import chart_of, series, window

DETECTOR = TooGoodToBeTrue()
ENTROPY = DETECTOR.variety + 0.5
STEPS = 200


def _run(last: float, **given: Any) -> Window:
    """A model of tokens whose loss falls to `last` within half of the run."""
    scalars = {"label_entropy": ENTROPY, **given.pop("scalars", {})}
    falling = np.linspace(ENTROPY, last, STEPS // 2)
    chart = chart_of(
        1, loss=given.pop("loss", "cross-entropy"), task=given.pop("task", Task.LANGUAGE_MODEL),
        surrogate=given.pop("surrogate", ""), loss_mean=given.pop("loss_mean", True),
    )  # fmt: skip
    losses = [*falling, *[last] * (STEPS // 2)]
    return window(losses=losses, scalars=scalars, chart=chart, **given)


LOW, USUAL = DETECTOR.per_token / 2, 1.2


@pytest.mark.parametrize("mean", [True, False], ids=["mean", "divided by hand"])
def test_a_text_that_is_foreseen(mean: bool) -> None:
    found = fires(DETECTOR, _run(LOW, loss_mean=mean), Severity.INFO)
    assert "Too good to be true: check for leaks." in found.message
    assert found.evidence["loss"] == pytest.approx(LOW)
    assert found.evidence["threshold"] == DETECTOR.per_token


@pytest.mark.parametrize(
    "given",
    [
        _run(USUAL),
        _run(2 * DETECTOR.per_token),
        _run(LOW, scalars={"label_entropy": np.log(10)}),  # digits: arithmetic can be solved
        _run(LOW, epochs=series(train_loss=[LOW] * DETECTOR.passes)),
        _run(LOW, epochs=series(val_loss=[USUAL] * 3)),
    ],
    ids=["as usual", "not that low", "few tokens", "by heart", "worse on what it has not read"],
)
def test_silent(given: Window) -> None:
    assert judge(DETECTOR, given) is None


def test_what_was_not_read_is_foreseen_too() -> None:
    epochs = series(val_loss=[LOW] * 2 * DETECTOR.passes)
    fires(DETECTOR, _run(LOW, epochs=epochs), Severity.INFO)


def test_targets_that_can_be_copied() -> None:
    copied = {"target_copied": 1.0, "label_entropy": 1.0}
    found = fires(DETECTOR, _run(0.5 * DETECTOR.left, scalars=copied), Severity.INFO)
    assert "100 % of the targets are the token at their own place" in found.message
    assert found.evidence["copied"] == 1.0


@pytest.mark.parametrize(
    ("loss", "share"), [(USUAL, 1.0), (0.5 * DETECTOR.left, 0.5), (0.5 * DETECTOR.left, 0.0)]
)
def test_what_is_not_copied(loss: float, share: float) -> None:
    """A model may move its inputs itself: then the loss is as that of any."""
    assert judge(DETECTOR, _run(loss, scalars={"target_copied": share})) is None


@pytest.mark.parametrize(
    "other", [{"task": Task.MULTI_CLASS}, {"loss": "mse"}, {"surrogate": "a policy gradient"}]
)
def test_what_does_not_predict_tokens(other: dict[str, Any]) -> None:
    assert judge(DETECTOR, _run(LOW, **other)) is None


def test_missing() -> None:
    chart = chart_of(1, loss="nll", task=Task.LANGUAGE_MODEL)
    for steps in (0, 30):
        few = window(losses=[LOW] * steps, chart=chart)
        assert reason(DETECTOR, few) == f"too few steps: {steps} of {DETECTOR.steps}"


def test_anything() -> None:
    bears_anything(DETECTOR)
