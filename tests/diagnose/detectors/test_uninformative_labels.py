from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from paramedic.diagnose.detectors.uninformative_labels import UninformativeLabels
from paramedic.types import Layer, Severity, Task, Window
from tests.diagnose.detectors.judging import bears_anything, fires, judge, reason
from tests.diagnose.detectors.losses import learning, resting, stepping
from tests.diagnose.windows import chart_of, series, window

DETECTOR = UninformativeLabels()
SOUND = (DETECTOR.least_motion * DETECTOR.most_motion) ** 0.5
GUESSING = 2.3


def run(losses: Any, ratio: float = SOUND, gradients: Any = (1.0, 1.0, 1.0), **more: Any) -> Window:
    """A net with three layers on data with a loss of guessing of 2.3."""
    width = len(gradients)
    return window(
        8,
        layers={"update_ratio": np.full((8, width), ratio), "grad_norm": [gradients] * 8},
        scalars={"label_entropy": GUESSING},
        losses=losses,
        chart=more.pop("chart", None) or chart_of(width, loss="cross-entropy", loss_mean=True),
        ended=more.pop("ended", True),
        epochs=series(val_loss=more.pop("validation", [])),
    )


def test_a_loss_that_settles_at_guessing() -> None:
    found = fires(DETECTOR, run(stepping(3.0, GUESSING)), Severity.WARNING)
    assert found.evidence["guessing"] == GUESSING
    assert found.evidence["distance"] < DETECTOR.near < found.evidence["threshold"]


def test_a_long_run_is_judged_before_its_end() -> None:
    fires(DETECTOR, run(resting(GUESSING, DETECTOR.steps), ended=False), Severity.WARNING)


AWAY = 1 + 4 * DETECTOR.near


@pytest.mark.parametrize(
    "healthy",
    [
        run(resting(GUESSING * AWAY)),
        run(learning()),
        run(resting(GUESSING), ratio=DETECTOR.least_motion / 2),
        run(resting(GUESSING), ratio=2 * DETECTOR.most_motion),
        run(resting(GUESSING), gradients=(1e-9, 1e-5, 1.0)),
        run(resting(GUESSING), validation=[2.6, 2.5, 2.4, 2.3, 2.2]),
    ],
    ids=["worse than guessing", "learns", "hardly moves", "moves too much", "blocked", "holds"],
)
def test_silent(healthy: Window) -> None:
    assert judge(DETECTOR, healthy) is None


def test_a_validation_loss_tells_what_was_learned_by_heart() -> None:
    given = GUESSING * (1 - 1.5 * DETECTOR.near)
    fires(DETECTOR, run(resting(given), validation=[2.4] * 5), Severity.WARNING)
    assert judge(DETECTOR, run(resting(given))) is None
    better = GUESSING * (1 - 2 * DETECTOR.better)
    assert judge(DETECTOR, run(resting(GUESSING), validation=[better] * 5)) is None


def test_language_models_rest_near_guessing_at_first() -> None:
    words = chart_of(3, loss="cross-entropy", loss_mean=True, task=Task.LANGUAGE_MODEL)
    given = GUESSING * (1 - (DETECTOR.near + DETECTOR.near_language) / 2)
    fires(DETECTOR, run(resting(given)), Severity.WARNING)
    assert judge(DETECTOR, run(resting(given), chart=words)) is None
    fires(DETECTOR, run(resting(GUESSING), chart=words), Severity.WARNING)


def test_missing() -> None:
    few = resting(GUESSING, DETECTOR.fewest - 1)
    assert "too few steps" in str(reason(DETECTOR, run(few)))
    assert "at the end of a run" in str(reason(DETECTOR, run(resting(GUESSING), ended=False)))
    unknown = chart_of(3, loss="a-loss-of-their-own")
    assert "loss of guessing" in str(reason(DETECTOR, run(resting(GUESSING), chart=unknown)))
    assert "linear model" in str(reason(DETECTOR, run(resting(GUESSING), gradients=(1.0,))))
    assert reason(DETECTOR, run(resting(GUESSING), np.nan)) == "weights were not measured"


def test_anything() -> None:
    bears_anything(DETECTOR)


def test_a_row_of_linear_layers_is_too_simple_to_judge_by() -> None:
    chart = chart_of(3, loss="cross-entropy", loss_mean=True)
    numbered = [replace(one, name=str(place)) for place, one in enumerate(chart.layers)]
    straight = replace(chart, layers=tuple(numbered))
    assert "linear" in str(reason(DETECTOR, run(stepping(3.0, GUESSING), chart=straight)))
    seen = replace(chart, straight=True)
    assert "linear" in str(reason(DETECTOR, run(stepping(3.0, GUESSING), chart=seen)))
    bent = replace(straight, layers=(*numbered[:2], replace(numbered[2], kind="GRU")))
    fires(DETECTOR, run(stepping(3.0, GUESSING), chart=bent), Severity.WARNING)


def test_a_net_one_unit_wide_may_be_too_simple() -> None:
    def wide(width: int) -> Window:
        layers = [Layer(f"layer{place}", "Linear", 10, fan_in=9) for place in range(2)]
        head = Layer("head", "Linear", 10, fan_in=width)
        net = chart_of(*layers, head, loss="cross-entropy", loss_mean=True)
        return run(resting(GUESSING), chart=net)

    assert "single number" in (reason(DETECTOR, wide(1)) or "")
    fires(DETECTOR, wide(2), Severity.WARNING)


def test_a_validation_loss_that_falls_in_every_epoch_to_below_guessing_acquits_them() -> None:
    slowly = np.linspace(1.02, 0.99, 6) * GUESSING
    once_up = np.where(np.arange(6) == 3, slowly[1], slowly)
    assert judge(DETECTOR, run(resting(GUESSING), validation=slowly)) is None
    fires(DETECTOR, run(resting(GUESSING), validation=once_up), Severity.WARNING)
    fires(DETECTOR, run(resting(GUESSING), validation=slowly + 0.1), Severity.WARNING)
