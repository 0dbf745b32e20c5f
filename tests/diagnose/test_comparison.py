"""What a verdict compares."""

from __future__ import annotations

import numpy as np
import pytest

from paramedic.diagnose.comparison import Level, compare, known, scatter
from tests.diagnose.windows import chart_of, window

NOISE = 0.1 * np.random.default_rng(0).normal(size=500)


def test_start_end_and_scale() -> None:
    found = compare(window(losses=[*(4 + NOISE), *(1 + NOISE)]))
    assert found is not None
    assert found.steps == 1000
    assert found.start.value == pytest.approx(4, abs=0.1)
    assert found.end.value == pytest.approx(1, abs=0.05)
    assert found.end.error < 0.02
    assert found.gone == pytest.approx(0.75, abs=0.03)
    assert found.size == pytest.approx(4, abs=0.1)
    assert np.isnan(found.constant)
    assert found.below_constant == 0
    assert "loss of the best constant answer" not in found.numbers


def test_the_baseline_is_what_is_harder_to_beat() -> None:
    scalars = {"target_mean": [0.0] * 5, "target_std": [2.0] * 5}
    chart = chart_of(1, loss="mse", loss_mean=True)
    low = compare(window(losses=9 + NOISE, scalars=scalars, chart=chart))
    assert low is not None
    assert low.baseline == Level(4.0, 0.0)
    high = compare(window(losses=3 + NOISE, scalars=scalars, chart=chart))
    assert high is not None
    assert high.baseline is high.start
    assert high.below_constant == pytest.approx(0.25, abs=0.02)


def test_targets_that_are_all_the_same_have_no_constant_answer_worth_the_name() -> None:
    scalars = {"target_mean": [0.0] * 5, "target_std": [0.0] * 5}
    chart = chart_of(1, loss="mse", loss_mean=True)
    found = compare(window(losses=9 + NOISE, scalars=scalars, chart=chart))
    assert found is not None
    assert np.isnan(found.constant)


def test_the_constant_answer_of_other_losses_is_the_one_that_was_computed() -> None:
    scalars = {"fit_loss": [3.0] * 5, "fit_constant": [np.nan, 2.0, 2.0, 2.5, np.nan]}
    plain = compare(
        window(losses=9 + NOISE, scalars=scalars, chart=chart_of(1, loss="l1", loss_mean=True))
    )
    assert plain is not None
    assert plain.constant == 2.5
    assert plain.fit is None


def test_batches_are_fractions_of_their_own_constant_answers() -> None:
    spreads = np.array([1.0, 1.0, 1.0, 100.0] * 10)
    scalars = {
        "loss": 0.25 * spreads**2, "target_std": spreads, "target_mean": np.zeros(40),
    }  # fmt: skip
    chart = chart_of(1, loss="mse", loss_mean=True)
    found = compare(window(range(300, 500, 5), losses=9 + NOISE, scalars=scalars, chart=chart))
    assert found is not None
    assert found.batches is not None
    assert found.batches.typical == Level(0.25, 0.0)
    assert found.batches.together == pytest.approx(0.25)
    assert found.batches.uneven
    assert found.below_constant == pytest.approx(0.75)
    assert 0.25 in found.numbers.values()


def test_too_few_batches_are_not_compared() -> None:
    scalars = {"loss": [1.0] * 12, "target_std": [1.0] * 12, "target_mean": [0.0] * 12}
    chart = chart_of(1, loss="mse", loss_mean=True)
    found = compare(window(range(0, 480, 40), losses=9 + NOISE, scalars=scalars, chart=chart))
    assert found is not None
    assert found.batches is None


def test_a_first_update_that_ruins_the_run_does_not_become_its_start() -> None:
    found = compare(window(losses=[10.0, *(1e6 + NOISE)]))
    assert found is not None
    assert found.start.value == 10


def test_too_few_losses() -> None:
    assert compare(window(losses=[1.0, 2.0, 1.0])) is None


def test_levels_are_compared_in_standard_errors() -> None:
    assert Level(1.0, 0.1).below(Level(2.0, 0.0)) == pytest.approx(10)
    assert Level(2.0, 0.3).below(Level(1.0, 0.4)) == pytest.approx(-2)


def test_known_and_scatter() -> None:
    assert known(np.array([1.0, np.nan, np.inf])).tolist() == [1.0]
    assert scatter(np.array([1.0, 2.0, 3.0, 4.0, 1e9])) == pytest.approx(1.4826)
