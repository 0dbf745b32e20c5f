from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from paramedic.diagnose.detectors.loss_explosion import LossExplosion
from paramedic.types import Severity
from tests.diagnose.detectors.judging import bears_anything, fires, judge, reason
from tests.diagnose.detectors.losses import learning, resting, sloping, stepping
from tests.diagnose.windows import chart_of, window

DETECTOR = LossExplosion()
FAR = 2 * max(DETECTOR.factor, DETECTOR.above)


def test_a_level_far_above_the_start() -> None:
    found = fires(DETECTOR, window(losses=stepping(1.0, FAR)), Severity.CRITICAL)
    assert found.evidence["factor"] == pytest.approx(FAR, rel=0.05)
    assert found.evidence["threshold"] == DETECTOR.factor


def test_the_unit_of_the_loss_does_not_matter() -> None:
    for unit in (1e-6, 1e6):
        fires(DETECTOR, window(losses=unit * stepping(1.0, FAR)), Severity.CRITICAL)


@pytest.mark.parametrize(
    "losses",
    [
        resting(),
        stepping(1.0, 0.8 * DETECTOR.factor),
        np.concatenate([learning(10.0, 0.5), resting(0.5 * 2 * DETECTOR.factor)]),
        np.concatenate([resting(1.0), resting(FAR, 40), resting(1.0)]),
        np.where(np.arange(160) % 16 == 0, 10 * FAR, 1.0),
    ],
    ids=["rests", "grew little", "still below the start", "came back", "single batches"],
)
def test_silent(losses: np.ndarray) -> None:
    assert judge(DETECTOR, window(losses=losses)) is None


def test_a_loss_that_began_high_has_not_grown() -> None:
    """Targets far from zero: the first loss is far above that of guessing."""
    chart = chart_of(1, loss="mse", loss_mean=True)
    scalars = {"target_std": 1.0, "target_mean": 6.0}
    given = window(scalars=scalars, losses=sloping(38.0, 28.0, 15), chart=chart)
    assert judge(DETECTOR, given) is None


def test_a_loss_that_began_about_zero() -> None:
    """That of a policy grows with its certainty; one that diverges goes on and on."""
    noise = 0.5 * np.random.default_rng(0).standard_normal(160)
    policy = 1.5 * (1 - np.exp(-np.arange(160) / 30))
    assert judge(DETECTOR, window(losses=policy + noise)) is None
    fires(DETECTOR, window(losses=1e-3 * np.exp(np.arange(160) / 10) + noise), Severity.CRITICAL)


def test_lbfgs_leaps_and_comes_back() -> None:
    leap = np.concatenate([resting(1.0, 12), resting(FAR, DETECTOR.bold_steps)])
    chart = chart_of(1, optimizers=({"name": "LBFGS"},))
    assert reason(DETECTOR, window(losses=leap[:40], chart=chart)) == "too few losses were seen"
    fires(DETECTOR, window(losses=leap, chart=chart), Severity.CRITICAL)


def test_silent_when_the_rise_may_be_noise() -> None:
    doubting = replace(DETECTOR, certain=1e6)
    assert judge(doubting, window(losses=stepping(1.0, FAR))) is None


def test_missing() -> None:
    assert reason(DETECTOR, window(losses=[1.0])) == "too few losses were seen"


def test_anything() -> None:
    bears_anything(DETECTOR)
