from __future__ import annotations

from itertools import pairwise
from statistics import median

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from paramedic.diagnose.reference.bttackler import (
    AbnormalGradientValues,
    ExponentiallyAmplifiedGradients,
    ExponentiallyReducedGradients,
    LowActivationRatio,
    NoMoreGain,
    PassiveLossChanges,
    UnexpectedLossChanges,
)
from paramedic.diagnose.rules import choose
from paramedic.types import Severity, Window
from tests.diagnose.windows import chart_of, non_finite, series, window


def sizes(*means: float, epochs: int = 1) -> Window:
    """Layers with these means of |g|, after some epochs."""
    return window(layers={"grad_mean_abs": list(means)}, epochs=[{}] * epochs)


def losses(*values: float) -> Window:
    return window(epochs=series(train_loss=values))


def late(*values: float) -> Window:
    """Ten constant early losses, then these."""
    return losses(*([100.0] * 10), *values)


def test_none_debounces() -> None:
    assert {rule.patience for rule in choose("bttackler")} == {1}
    assert [rule.code for rule in choose("bttackler")] == [f"BT0{n}" for n in range(1, 8)]


# -- abnormal gradient values ---------------------------------------------------------------------


def test_a_large_mean_is_abnormal() -> None:
    finding = AbnormalGradientValues().examine(sizes(1, 10_001, 2))
    assert finding is not None
    assert finding.severity is Severity.WARNING
    assert finding.evidence == {"mean_abs": 10_001.0, "threshold": 1e4, "non_finite": False}
    assert finding.where == ("layer1",)
    assert AbnormalGradientValues().examine(sizes(1, 10_000, 2)) is None


def test_a_gradient_that_is_no_number_is_abnormal_in_any_frame() -> None:
    made = window(layers={"grad_norm": [[1, np.inf], [1, 1]]})
    finding = AbnormalGradientValues().examine(made)
    assert finding is not None
    assert finding.evidence["non_finite"] is True
    assert finding.where == ("layer1",)
    assert AbnormalGradientValues().examine(window(layers={"grad_norm": [1, np.nan]})) is None


def test_an_event_counts_while_its_time_is_shown() -> None:
    for step, fires in ((9, False), (10, True), (12, True)):
        made = window([10, 20], layers={"grad_norm": [1, 1]}, events=[non_finite(step)])
        assert (AbnormalGradientValues().examine(made) is not None) is fires
    assert AbnormalGradientValues().examine(window(events=[non_finite(3)]))
    assert AbnormalGradientValues().missing(window(events=[non_finite(3)])) is None


def test_missing_gradients() -> None:
    assert AbnormalGradientValues().missing(window(3)) == "no gradient was measured"
    assert AbnormalGradientValues().missing(sizes(1)) is None
    assert "adjacent" in (ExponentiallyReducedGradients().missing(sizes(1)) or "")
    assert "adjacent" in (ExponentiallyAmplifiedGradients().missing(sizes(0, 0)) or "")


# -- adjacent layers ------------------------------------------------------------------------------


def test_amplified_just_above_the_bound() -> None:
    finding = ExponentiallyAmplifiedGradients().examine(sizes(4096, 2, 2**-10))
    assert finding is not None
    assert finding.evidence == {"median": 2048.0, "threshold": 1e3, "epochs": 1}
    assert ExponentiallyAmplifiedGradients(largest=2048.0).examine(sizes(4096, 2, 2**-10)) is None


def test_reduced_just_below_the_bound() -> None:
    finding = ExponentiallyReducedGradients().examine(sizes(2**-20, 2**-5, 2**10))
    assert finding is not None
    assert finding.evidence["median"] == 2**-15
    equal = ExponentiallyReducedGradients(smallest=2.0**-15)
    assert equal.examine(sizes(2**-20, 2**-5, 2**10)) is None


def test_only_in_the_first_half() -> None:
    for epochs, fires in ((0, None), (1, True), (10, True), (11, False)):
        made = sizes(1e-9, 1, epochs=epochs)
        if fires is None:
            assert "no epoch" in (ExponentiallyReducedGradients().missing(made) or "")
            continue
        assert (ExponentiallyReducedGradients().examine(made) is not None) is fires
        wide = sizes(1e9, 1, epochs=epochs)
        assert (ExponentiallyAmplifiedGradients().examine(wide) is not None) is fires
    assert ExponentiallyReducedGradients(epochs=30).examine(sizes(1e-9, 1, epochs=11))


def test_the_newest_full_frame_is_read() -> None:
    made = window(layers={"grad_mean_abs": [[1, 1], [1e-9, 1], [np.nan, np.nan]]}, epochs=[{}])
    assert ExponentiallyReducedGradients().examine(made)


def test_zero_and_unmeasured_layers() -> None:
    assert ExponentiallyReducedGradients().examine(sizes(0, 0, 1))  # 0/0 is passed over
    assert ExponentiallyAmplifiedGradients().examine(sizes(1, 0))
    assert ExponentiallyReducedGradients().examine(sizes(1e-9, np.nan, 1))
    chart = chart_of(("a", "Linear", 9), ("act", "ReLU", 0), ("b", "Linear", 9))
    made = window(layers={"grad_mean_abs": [1e-9, 5, 1]}, chart=chart, epochs=[{}])
    assert ExponentiallyReducedGradients().examine(made)


@given(st.lists(st.floats(2**-60, 2**60, width=32), min_size=2, max_size=9))
def test_the_median_by_direct_computation(means: list[float]) -> None:
    direct = median(a / b for a, b in pairwise(means))
    finding = ExponentiallyAmplifiedGradients(largest=-1.0).examine(sizes(*means))
    assert finding is not None
    assert finding.evidence["median"] == pytest.approx(direct)


# -- passive loss changes -------------------------------------------------------------------------


def test_passive_just_below_the_bound() -> None:
    rule = PassiveLossChanges(smallest=0.25)
    assert rule.examine(losses(4, 3, 2)) is None  # exactly a quarter
    finding = rule.examine(losses(4, 3.5, 3))
    assert finding is not None
    assert finding.evidence == {"change": 0.125, "threshold": 0.25, "first_loss": 4.0}
    assert PassiveLossChanges().examine(losses(1, 1.0009))
    assert PassiveLossChanges().examine(losses(1, 1.0011)) is None


def test_passive_only_in_the_first_half_and_with_losses() -> None:
    assert PassiveLossChanges().examine(losses(*([2.3] * 10)))
    assert PassiveLossChanges().examine(losses(*([2.3] * 11))) is None
    assert PassiveLossChanges().missing(losses(2.3)) is not None
    assert PassiveLossChanges().missing(window(epochs=series(val_loss=[1, 1]))) is not None
    assert PassiveLossChanges().examine(losses(2.3, np.nan, 2.3))


def test_losses_without_a_scale() -> None:
    assert PassiveLossChanges().examine(losses(0, 0)) is None
    assert PassiveLossChanges().examine(losses(0, 1)) is None
    assert PassiveLossChanges().examine(losses(1, np.inf, np.inf)) is None
    assert PassiveLossChanges().examine(losses(-1, -5))  # a known fault


@given(st.lists(st.floats(0.125, 100), min_size=2, max_size=10))
def test_the_change_by_direct_computation(values: list[float]) -> None:
    gaps = [abs(b - a) for a, b in pairwise(values)]
    direct = sum(gaps) / len(gaps) / values[0]
    finding = PassiveLossChanges(smallest=1e9).examine(losses(*values))
    assert finding is not None
    assert finding.evidence["change"] == pytest.approx(direct)


# -- low activation ratio -------------------------------------------------------------------------


def test_inactive_units_just_above_the_bound() -> None:
    made = window(layers={"act_dead": [0.1, 0.51, 0.9, np.nan]}, epochs=[{}] * 5)
    finding = LowActivationRatio().examine(made)
    assert finding is not None
    assert finding.evidence["median"] == pytest.approx(0.51)
    assert finding.evidence["threshold"] == 0.5
    assert finding.where == ("layer1", "layer2")
    equal = window(layers={"act_dead": [0.1, 0.5, 0.9]}, epochs=[{}] * 5)
    assert LowActivationRatio().examine(equal) is None


def test_five_epochs_are_needed_and_something_to_read() -> None:
    assert "4 of 5" in (LowActivationRatio().missing(sizes(1, epochs=4)) or "")
    assert "neither" in (LowActivationRatio().missing(sizes(1, epochs=5)) or "")
    made = window(layers={"grad_zero": [0.9]}, epochs=[{}] * 5)
    assert LowActivationRatio().missing(made) is None


def test_functions_in_front_of_a_layer_count_too() -> None:
    made = window(
        layers={"act_dead": [np.nan, 0.2, np.nan], "input_dead": [np.nan, 0.9, 0.9]},
        epochs=[{}] * 5,
    )
    finding = LowActivationRatio().examine(made)
    assert finding is not None
    assert finding.evidence["layers"] == 3


def test_gradients_are_read_only_where_no_activation_was_seen() -> None:
    dead = {"grad_zero": [0.9, 0.9]}
    assert LowActivationRatio().examine(window(layers=dead, epochs=[{}] * 5))
    seen = window(layers={**dead, "act_dead": [np.nan, 0.0]}, epochs=[{}] * 5)
    assert LowActivationRatio().examine(seen) is None


# -- late losses ----------------------------------------------------------------------------------


def test_unexpected_changes_at_the_boundary() -> None:
    rising = (1, 2, 3, 4, 5, 6)  # slope 1, deviation 1.708, mean 3.5
    variation = float(np.std(rising) / np.mean(rising))
    finding = UnexpectedLossChanges(slope=1.0).examine(late(*rising))
    assert finding is not None
    assert finding.evidence["slope"] == pytest.approx(1.0)
    assert finding.evidence["fluctuation"] == pytest.approx(variation)
    assert UnexpectedLossChanges(slope=1.01).examine(late(*rising)) is None
    assert UnexpectedLossChanges(fluctuation=variation).examine(late(*rising)) is None


def test_rising_or_fluctuating_alone_is_not_enough() -> None:
    steady = (10, 10.1, 10.2, 10.3, 10.4, 10.5)
    falling = (6, 1, 5, 1, 4, 1)
    assert UnexpectedLossChanges().examine(late(*steady)) is None
    assert UnexpectedLossChanges().examine(late(*falling)) is None


def test_only_in_the_second_half_and_with_a_full_window() -> None:
    for rule in (UnexpectedLossChanges(), NoMoreGain()):
        assert "after 10 epochs" in (rule.missing(losses(*range(10))) or "")
        assert rule.missing(losses(*range(11))) is None
        gaps = losses(*([np.nan] * 8), 1, 2, 3, 4)
        assert "4 of 6" in (rule.missing(gaps) or "")
    assert UnexpectedLossChanges(epochs=40).length() == 12
    assert UnexpectedLossChanges(epochs=2).length() == 2


def test_infinite_losses_are_no_line() -> None:
    assert UnexpectedLossChanges().examine(late(1, 2, np.inf, 4, 5, 6)) is None
    assert UnexpectedLossChanges().examine(late(0, 0, 0, 0, 0, 0)) is None


@given(st.lists(st.floats(0.125, 100), min_size=11, max_size=20))
def test_slope_and_minimum_by_direct_computation(values: list[float]) -> None:
    latest = values[-6:]
    everything = UnexpectedLossChanges(slope=-1e9, fluctuation=-1.0)
    finding = everything.examine(losses(*values))
    assert finding is not None
    slope = np.polyfit(range(6), latest, 1)[0]
    assert finding.evidence["slope"] == pytest.approx(slope, abs=1e-9)
    gain = NoMoreGain().examine(losses(*values))
    assert (gain is not None) is (min(latest) > min(values))


def test_no_more_gain_is_benign() -> None:
    finding = NoMoreGain().examine(losses(3, 1, *([2] * 9)))
    assert finding is not None
    assert finding.severity is Severity.INFO
    assert finding.evidence == {"latest": 2.0, "threshold": 1.0, "length": 6}
    assert NoMoreGain().examine(losses(3, 2, *([2] * 9))) is None
    assert NoMoreGain().examine(losses(*([2] * 10), 1)) is None


def test_one_lucky_epoch_ends_a_trial() -> None:
    """A known fault: neither noise nor the size of the difference counts."""
    assert NoMoreGain().examine(losses(3, 2, 1.9999, *([2] * 8)))
