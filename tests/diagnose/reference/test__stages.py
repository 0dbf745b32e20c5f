from __future__ import annotations

import numpy as np
import pytest

from paramedic.diagnose.reference._stages import (
    StagedRule,
    amplification,
    gradient_sizes,
    slope_of,
    train_losses,
    zero_shares,
)
from paramedic.diagnose.reference.bttackler import PassiveLossChanges
from tests.diagnose.windows import chart_of, series, window


def test_half_of_the_planned_epochs_is_early() -> None:
    rule: StagedRule = PassiveLossChanges(epochs=5)
    stages = [rule.is_late(window(epochs=[{}] * ended)) for ended in range(5)]
    assert stages == [False, False, False, True, True]


def test_sizes_of_the_newest_full_frame() -> None:
    rows = [[1, 5, 2], [3, 5, 4], [np.nan] * 3]
    chart = chart_of(("a", "Linear", 1), ("act", "ReLU", 0), ("b", "Linear", 1))
    made = window(layers={"grad_mean_abs": rows}, chart=chart)
    sizes = gradient_sizes(made)
    assert sizes is not None
    assert sizes.tolist() == [3, 4]
    assert amplification(made) == 0.75
    assert gradient_sizes(window(3)) is None
    assert np.isnan(amplification(window(3)))


def test_train_losses_have_no_gaps() -> None:
    assert train_losses(window(epochs=series(train_loss=[1, np.nan, 3]))).tolist() == [1, 3]


def test_zero_shares_by_layer() -> None:
    names, shares = zero_shares(window(layers={"act_dead": [np.nan, 0.5], "input_dead": [0.25, 1]}))
    assert names == ("layer1", "layer0", "layer1")
    assert shares.tolist() == [0.5, 0.25, 1.0]
    names, shares = zero_shares(window(layers={"grad_zero": [np.nan, 0.5]}))
    assert names == ("layer1",)
    assert zero_shares(window())[0] == ()


@pytest.mark.parametrize("length", [2, 6, 7])
def test_slope_is_that_of_a_fitted_line(length: int) -> None:
    values = np.random.default_rng(length).normal(size=length)
    assert slope_of(values) == pytest.approx(np.polyfit(range(length), values, 1)[0])
