from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from paramedic.diagnose.curve import FEWEST, Curve, curve
from paramedic.types import Task
from tests.diagnose.detectors.losses import learning, resting, sloping
from tests.diagnose.windows import chart_of, series, window


def read(losses: object, **more: object) -> Curve:
    found = curve(window(losses=losses, **more))  # type: ignore[arg-type]
    assert found is not None
    return found


SHAPES = {"rest": resting(), "slope": sloping(2.0, 1.0), "learn": learning(), "rise": sloping(1, 2)}
STEADY = settings(deadline=None, derandomize=True)  # the same cases on any machine
READINGS = ("learned", "gone", "pace", "falling", "rising")


@pytest.mark.parametrize("shape", SHAPES)
@STEADY
@given(unit=st.floats(1e-6, 1e6))
def test_the_unit_of_the_loss_does_not_matter(shape: str, unit: float) -> None:
    plain, scaled = read(SHAPES[shape]), read(unit * SHAPES[shape])
    for name in READINGS:
        assert getattr(scaled, name) == pytest.approx(getattr(plain, name), rel=1e-6), name
    assert scaled.change() == pytest.approx(plain.change(), rel=1e-6)
    assert scaled.noise == pytest.approx(unit * plain.noise)


@STEADY
@given(seed=st.integers(0, 10_000), steps=st.integers(100, 600), noise=st.floats(0.001, 0.3))
def test_noise_is_neither_fall_nor_rise_nor_learning(seed: int, steps: int, noise: float) -> None:
    losses = 2.3 + noise * np.random.default_rng(seed).standard_normal(steps)
    found = read(losses)
    _, certainty = found.change()
    assert abs(certainty) < 8  # a t-like number of few stretches: rarely large, never huge
    assert found.levels == pytest.approx(2.3, abs=4 * noise)


def test_noise_rarely_looks_like_a_trend() -> None:
    random = np.random.default_rng(0)
    alarms = 0
    for _ in range(400):
        found = read(2.3 + 0.1 * random.standard_normal(320))
        alarms += found.falling or found.rising
    assert alarms <= 4


@STEADY
@given(noise=st.floats(0.1, 0.5), seed=st.integers(0, 1000))
def test_noise_is_measured_in_spite_of_a_trend(noise: float, seed: int) -> None:
    losses = np.linspace(9, 1, 800) + noise * np.random.default_rng(seed).standard_normal(800)
    assert read(losses).noise == pytest.approx(noise, rel=0.25)


@STEADY
@given(fall=st.floats(0.05, 0.9))
def test_a_slope_is_read_as_it_is(fall: float) -> None:
    found = read(np.linspace(1.0, 1.0 - fall, 1600))
    amount, certainty = found.change(1.0)
    assert amount == pytest.approx(-fall, rel=0.1)
    assert certainty < -50
    assert found.gone == pytest.approx(fall, rel=0.1)
    assert found.falling
    assert not found.rising


def test_pace_is_the_fall_of_the_last_quarter() -> None:
    assert read(np.linspace(2.0, 1.0, 1600)).pace == pytest.approx(0.25 / 1.25, rel=0.3)
    assert read(learning()).pace < 0.02
    assert read(sloping(1.0, 2.0)).pace <= 0
    assert read(resting()).pace == pytest.approx(0, abs=0.01)


def test_steadiness_tells_a_line_from_a_curve_that_levels_off() -> None:
    assert read(sloping(2.3, 1.3)).steadiness == pytest.approx(1.0, abs=0.25)
    assert read(2 + np.exp(-np.linspace(0, 6, 400))).steadiness < 0.1
    assert read(resting()).steadiness == 0.0


def test_one_wild_batch_moves_no_level() -> None:
    wild = resting()
    wild[70] = 1e9
    assert read(wild).levels == pytest.approx(read(resting()).levels, rel=0.01)
    assert read(wild).largest == 1e9


def test_too_few_losses() -> None:
    assert curve(window(losses=[1.0] * (FEWEST - 1))) is None
    assert curve(window(losses=[math.nan, None, math.inf] * FEWEST)) is None


@pytest.mark.parametrize("level", [0.0, -3.0, 1e-300, 1e38])
def test_a_constant_loss(level: float) -> None:
    found = read([level] * 50)
    assert (found.last, found.noise, found.learned) == (level, 0.0, 0.0)
    assert not found.falling
    assert not found.rising


# -- the loss of guessing --------------------------------------------------------------------------

CLASSES = {"loss": "cross-entropy", "loss_mean": True}
BINARY = {"loss": "binary-cross-entropy-with-logits", "loss_mean": True, "task": Task.BINARY}


@pytest.mark.parametrize(
    ("facts", "scalars", "chance"),
    [
        (CLASSES, {"label_entropy": [2.0]}, 2.0),
        ({"loss": "mse", "loss_mean": True}, {"target_std": [3.0]}, 9.0),
        (BINARY, {"target_mean": [0.5]}, math.log(2)),
        (BINARY, {"target_mean": [0.0]}, math.nan),
        ({**CLASSES, "loss_mean": False}, {"label_entropy": [2.0]}, math.nan),
        ({"loss": "something", "loss_mean": True}, {"label_entropy": [2.0]}, math.nan),
        (CLASSES, {}, math.nan),
    ],
)
def test_the_loss_of_guessing(facts: dict, scalars: dict, chance: float) -> None:
    found = read(resting(5.0), scalars=scalars, chart=chart_of(1, **facts))
    assert found.chance == pytest.approx(chance, nan_ok=True)
    assert found.start == pytest.approx(
        found.first if math.isnan(chance) else min(chance, 5.0), 0.01
    )


def test_an_accuracy_counts_where_it_says_more() -> None:
    scalars = {"label_entropy": [math.log(10)]}
    good = read(resting(), scalars=scalars, epochs=series(val_acc=[0.1, 0.9, 0.91, 0.9]))
    assert good.learned == pytest.approx(0.89, abs=0.01)
    assert good.gone == pytest.approx(0, abs=0.02)
    guess = read(resting(), scalars=scalars, epochs=series(val_acc=[0.1, 0.1, 0.1]))
    assert guess.learned < 0.05


def test_guessing_in_batches_of_one() -> None:
    """Within a batch of one nothing varies: the targets vary from batch to batch."""
    means = np.random.default_rng(0).normal(3.0, 2.0, 200)
    scalars = {"target_std": 0.0, "target_mean": means}
    found = read(resting(4.0, 200), scalars=scalars, chart=chart_of(1, loss="mse", loss_mean=True))
    assert found.chance == pytest.approx(4.0, rel=0.2)


@pytest.mark.parametrize(("labels", "known"), [(4, False), (64, True)])
def test_few_labels_do_not_tell_their_entropy(labels: int, known: bool) -> None:
    facts = {"loss": "cross-entropy", "loss_mean": True, "target_shape": (labels,)}
    found = read(resting(), scalars={"label_entropy": 2.3}, chart=chart_of(1, **facts))
    assert math.isnan(found.chance) != known


def test_the_share_of_a_common_class_is_no_skill() -> None:
    facts = {"loss": "cross-entropy", "loss_mean": True, "output_shape": (32, 2)}
    entropy = -0.95 * math.log(0.95) - 0.05 * math.log(0.05)
    epochs = series(val_acc=[0.94, 0.95, 0.95])
    found = read(
        resting(), scalars={"label_entropy": entropy}, chart=chart_of(1, **facts), epochs=epochs
    )
    assert found.skill == pytest.approx(0.0, abs=0.05)


def test_a_validation_loss_that_falls_is_a_pace() -> None:
    assert read(resting()).pace == 0
    falling = read(resting(), epochs=series(val_loss=[1.0, 0.9, 0.8, 0.7, 0.6]))
    assert falling.pace == pytest.approx(1 / 7)
    turning = read(resting(), epochs=series(val_loss=[1.0, 0.9, 0.8, 0.7, 0.75]))
    assert turning.pace == 0


def test_a_validation_loss_that_fell_in_each_epoch() -> None:
    def fall(*values: float) -> float:
        return read(np.ones(40), epochs=series(val_loss=values)).validation_fall

    assert fall(4, 3, 2.5, 2) == 0.5
    assert fall(4, 3, 3, 2) == 0
    assert fall(4, 3, 2) == 0


def test_the_entropy_of_few_words_is_corrected() -> None:
    def chance(task: Task, classes: float = 101) -> float:
        chart = chart_of(1, loss="cross-entropy", loss_mean=True, target_shape=(500,), task=task)
        scalars = {"label_entropy": 3.0, "target_classes": classes}
        return read(np.ones(40), steps=2, scalars=scalars, chart=chart).chance

    assert chance(Task.LANGUAGE_MODEL) == pytest.approx(3.1)
    assert chance(Task.LANGUAGE_MODEL, math.nan) == 3.0
    assert chance(Task.MULTI_CLASS) == 3.0
