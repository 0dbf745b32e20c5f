from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from paramedic.diagnose.detectors.slow_convergence import SlowConvergence
from paramedic.types import Layer, Severity, Task
from tests.diagnose.detectors.judging import bears_anything, fires, judge, reason
from tests.diagnose.detectors.losses import learning, resting, sloping
from tests.diagnose.windows import chart_of, window

DETECTOR = SlowConvergence()
LEFT = 1 - (DETECTOR.learned + DETECTOR.learned_language) / 2
SLOW = sloping(2.3, 2.3 * LEFT)


GUESSED: Any = {
    "chart": chart_of(1, loss="cross-entropy", loss_mean=True),
    "scalars": {"label_entropy": 2.3},
}  # the loss of guessing is known


def test_a_loss_that_falls_steadily_and_hardly() -> None:
    found = fires(DETECTOR, window(2, losses=SLOW, ended=True, **GUESSED), Severity.WARNING)
    assert found.evidence["gone"] < found.evidence["threshold"] == DETECTOR.learned
    assert found.evidence["pace"] > DETECTOR.pace


def test_a_long_run_is_judged_before_its_end() -> None:
    slow = sloping(2.3, 2.3 * LEFT, DETECTOR.steps)
    fires(DETECTOR, window(2, losses=slow, **GUESSED), Severity.WARNING)


def test_where_guessing_is_not_known_it_is_a_note() -> None:
    fires(DETECTOR, window(losses=SLOW, ended=True), Severity.INFO)


@pytest.mark.parametrize(
    "losses",
    [
        sloping(2.3, 2.3 * (1 - 1.2 * DETECTOR.learned)),
        resting(),
        learning(2.3, 2.3 * LEFT),
        np.concatenate([resting(2.3, 480), sloping(2.3, 2.3 * (1 - 1.5 * DETECTOR.fast))]),
    ],
    ids=["has learned", "rests", "levels off", "falls fast at last"],
)
def test_silent(losses: np.ndarray) -> None:
    assert judge(DETECTOR, window(losses=losses, ended=True)) is None


@pytest.mark.parametrize(
    ("left", "ratio", "sick"),
    [
        (1 - 0.9 * DETECTOR.learned_small, DETECTOR.small / 2, True),
        (1 - 0.9 * DETECTOR.learned_small, DETECTOR.small * 2, False),
        (1 - 1.1 * DETECTOR.learned_small, DETECTOR.small / 2, False),
        (1 - 0.9 * DETECTOR.learned_small, 0.0, False),
    ],
    ids=["small steps", "usual steps", "has learned", "does not move"],
)
def test_small_steps_may_have_come_further(left: float, ratio: float, sick: bool) -> None:
    moved = window(
        2, losses=sloping(2.3, 2.3 * left), ended=True, layers={"update_ratio": ratio}, **GUESSED
    )
    assert (judge(DETECTOR, moved) is not None) == sick


def test_a_language_model_may_be_slower() -> None:
    language = chart_of(1, task=Task.LANGUAGE_MODEL)
    assert judge(DETECTOR, window(losses=SLOW, ended=True, chart=language)) is None


def test_missing() -> None:
    assert reason(DETECTOR, window()) == "too few losses were seen"
    early = reason(DETECTOR, window(losses=SLOW))
    assert early == f"judged at the end of a run or after {DETECTOR.steps} steps"


def test_anything() -> None:
    bears_anything(DETECTOR)


def test_a_net_one_unit_wide_is_slow_by_how_it_was_built() -> None:
    head = Layer("head", "Linear", 8, fan_in=1)
    narrow = chart_of(1, Layer("body", "Linear", 40, fan_in=9), head)
    assert "single number" in (
        reason(DETECTOR, window(losses=SLOW, ended=True, chart=narrow)) or ""
    )
