from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from paramedic.diagnose.reference.training_doctor import (
    GradientExplosion,
    GradientInstability,
    LossExplosion,
    LossPlateau,
    Overfitting,
    VanishingGradient,
)
from paramedic.diagnose.rules import choose
from paramedic.types import Finding, Severity, Window
from tests.diagnose.windows import series, window

ALTERNATING = [1.0, 3.0] * 25  # mean 2, deviation 1


def norms(*values: float) -> Window:
    return window(scalars={"grad_norm": list(values)})


def gap(train: float, validation: float) -> Finding | None:
    made = window(epochs=series(train_loss=[train], val_loss=[validation]))
    return Overfitting().examine(made)


def test_none_debounces() -> None:
    assert {rule.patience for rule in choose("training-doctor")} == {1}
    assert [rule.code for rule in choose("training-doctor")] == [f"TD0{n}" for n in range(1, 7)]


def test_all_say_what_is_missing() -> None:
    for rule in choose("training-doctor"):
        assert rule.missing(window()) is not None
    assert "49 of 50" in (GradientInstability().missing(norms(*([1.0] * 49), np.nan)) or "")
    assert "19 of 20" in (LossPlateau().missing(window(losses=[1.0] * 19 + [None])) or "")
    assert Overfitting().missing(window(epochs=series(val_loss=[1.0]))) is not None


# -- gradient norms -------------------------------------------------------------------------------


def test_explosion_above_the_fixed_bound() -> None:
    finding = GradientExplosion().examine(norms(10.1))
    assert finding is not None
    assert finding.severity is Severity.CRITICAL
    assert finding.confidence == 0.9
    assert finding.evidence == {"norm": 10.1, "threshold": 10.0, "adaptive_threshold": None}
    assert GradientExplosion().examine(norms(10.0)) is None
    assert GradientExplosion().examine(norms(10.1, 1.0)) is None  # only the newest counts
    assert GradientExplosion().examine(norms(10.1, np.nan))


def test_explosion_above_the_adaptive_bound() -> None:
    assert GradientExplosion().examine(norms(*ALTERNATING, 5.0)) is None
    finding = GradientExplosion().examine(norms(*ALTERNATING, 5.01))
    assert finding is not None
    assert finding.severity is Severity.WARNING
    assert finding.evidence["adaptive_threshold"] == 5.0
    assert GradientExplosion().examine(norms(*ALTERNATING[1:], 5.01)) is None  # not full


def test_norms_that_are_no_numbers() -> None:
    assert GradientExplosion().examine(norms(np.inf))
    finding = GradientExplosion().examine(norms(*ALTERNATING[:-1], np.inf, 9.0))
    assert finding is not None
    assert GradientExplosion().examine(norms(*([np.inf] * 50), 1.0)) is None
    assert VanishingGradient().examine(norms(*([np.inf] * 50), 1.0)) is None


def test_vanishing_below_the_fixed_bound() -> None:
    finding = VanishingGradient().examine(norms(9e-8))
    assert finding is not None
    assert finding.severity is Severity.CRITICAL
    assert finding.confidence == 0.7
    assert finding.evidence["threshold"] == 1e-7 == finding.evidence["adaptive_threshold"]
    assert VanishingGradient().examine(norms(1e-7)) is None
    assert VanishingGradient().examine(norms(*ALTERNATING, 0.0)) is not None


def test_vanishing_below_the_adaptive_bound() -> None:
    high = [value + 8 for value in ALTERNATING]  # mean 10, deviation 1
    assert VanishingGradient().examine(norms(*high, 7.0)) is None
    finding = VanishingGradient().examine(norms(*high, 6.99))
    assert finding is not None
    assert finding.severity is Severity.WARNING
    assert finding.evidence["adaptive_threshold"] == 7.0


def test_instability_at_the_boundary() -> None:
    # Zero and two have mean 1 and deviation 1.
    assert GradientInstability(window=2, largest=1.0).examine(norms(0, 2)) is None
    assert GradientInstability(window=2, largest=0.99).examine(norms(0, 2))
    # One norm among n - 1 zeros has a variation of sqrt(n - 1).
    finding = GradientInstability(window=6).examine(norms(0, 0, 1, 0, 0, 0))
    assert finding is not None
    assert finding.confidence == 0.8
    assert finding.evidence["variation"] == pytest.approx(5**0.5)
    assert finding.evidence["threshold"] == 2.0


def test_instability_of_zeros_and_infinities() -> None:
    assert GradientInstability(window=2).examine(norms(0, 0)) is None
    assert GradientInstability(window=2).examine(norms(np.inf, np.inf)) is None


@given(st.lists(st.floats(0.0, 1e4), min_size=51, max_size=64))
def test_norms_by_direct_computation(values: list[float]) -> None:
    made, before = norms(*values), values[-51:-1]
    mean, deviation = np.mean(before), np.std(before)
    exploded = values[-1] > 10 or values[-1] > mean + 3 * deviation
    assert (GradientExplosion().examine(made) is not None) is bool(exploded)
    vanished = values[-1] < max(1e-7, mean - 3 * deviation)
    assert (VanishingGradient().examine(made) is not None) is bool(vanished)
    latest = values[-50:]
    variation = np.std(latest) / np.mean(latest) if sum(latest) else 0.0
    assert (GradientInstability().examine(made) is not None) is bool(variation > 2)


# -- losses ---------------------------------------------------------------------------------------


def test_plateau_at_the_boundary() -> None:
    flat = [1.0, 1.5] * 10  # variance 1/16
    assert LossPlateau(smallest=0.0625).examine(window(losses=flat)) is None
    finding = LossPlateau(smallest=0.0626).examine(window(losses=flat))
    assert finding is not None
    assert finding.evidence["variance"] == 0.0625
    assert LossPlateau().examine(window(losses=[*([5.0] * 9), *([2.0] * 20)]))
    assert LossPlateau().examine(window(losses=[5.0, *([2.0] * 19)])) is None


def test_a_plateau_of_losses_that_are_no_numbers_or_were_not_seen() -> None:
    assert LossPlateau().examine(window(losses=[*([2.0] * 19), np.nan])) is None
    assert LossPlateau().examine(window(losses=[*([2.0] * 19), np.inf])) is None
    assert LossPlateau().examine(window(losses=[*([2.0] * 10), None, *([2.0] * 10)]))


def test_a_small_loss_is_always_on_a_plateau() -> None:
    """A known fault: a variance has a scale."""
    falling = 0.03 * 0.9 ** np.arange(20)
    assert LossPlateau().examine(window(losses=falling))


def test_loss_explosion_at_the_boundaries() -> None:
    assert LossExplosion().examine(window(losses=[9.0, 10.0])) is None
    finding = LossExplosion().examine(window(losses=[9.0, 10.1]))
    assert finding is not None
    assert finding.evidence == {
        "loss": 10.1,
        "threshold": 10.0,
        "before": 9.0,
        "growth_threshold": 2.0,
    }
    assert LossExplosion().examine(window(losses=[1.0, 2.0])) is None
    assert LossExplosion().examine(window(losses=[1.0, 2.01]))
    assert LossExplosion().examine(window(losses=[11.0]))
    assert LossExplosion().examine(window(losses=[1.0])) is None


def test_loss_explosion_of_what_is_no_number() -> None:
    assert LossExplosion().examine(window(losses=[1.0, np.inf]))
    assert LossExplosion().examine(window(losses=[1.0, np.nan])) is None  # a known fault
    assert LossExplosion().examine(window(losses=[1.0, None, 2.01]))


def test_every_step_since_the_frame_before_is_judged() -> None:
    jump = [1.0] * 10
    for step, fires in ((3, False), (4, False), (5, True), (8, True), (9, True)):
        losses = [*jump[:step], 3.0, *jump[step + 1 :]]
        made = window([0, 4, 9], scalars={"loss": 1.0}, losses=losses)
        assert (LossExplosion().examine(made) is not None) is fires


def test_healthy_noise_is_called_an_explosion() -> None:
    """A known fault: about 30 alarms in 600 steps of losses that only scatter."""
    noise = np.random.default_rng(0).lognormal(0.0, 0.3, 600)
    losses = np.linspace(1.0, 0.5, 600) * noise
    alarms = sum(
        LossExplosion().examine(window(losses=losses[: step + 1])) is not None
        for step in range(600)
    )
    assert alarms == np.count_nonzero(losses[1:] > 2 * losses[:-1])
    assert 15 <= alarms <= 50


@given(st.lists(st.floats(0.0, 20.0), min_size=20, max_size=30))
def test_losses_by_direct_computation(values: list[float]) -> None:
    made = window(losses=values)
    exploded = values[-1] > 10 or values[-1] > 2 * values[-2]
    assert (LossExplosion().examine(made) is not None) is exploded
    variance = np.mean((np.array(values[-20:]) - np.mean(values[-20:])) ** 2)
    assert (LossPlateau().examine(made) is not None) is bool(variance < 1e-4)


# -- overfitting ----------------------------------------------------------------------------------


def test_overfitting_is_moderate_or_severe() -> None:
    assert gap(0.0, 0.2) is None
    moderate, severe = gap(0.0, 0.21), gap(0.0, 0.51)
    assert moderate is not None
    assert severe is not None
    assert moderate.severity is Severity.WARNING
    assert severe.severity is Severity.CRITICAL
    assert gap(0.0, 0.5) is not None
    assert gap(0.0, 0.5).severity is Severity.WARNING  # type: ignore[union-attr]
    assert moderate.confidence == 0.8
    assert moderate.evidence == {"gap": 0.21, "threshold": 0.2}
    assert severe.evidence == {"gap": 0.51, "threshold": 0.5}


def test_the_newest_epoch_with_both_losses_counts() -> None:
    made = window(epochs=series(train_loss=[0, 0, 0], val_loss=[0.9, 0.1, np.nan]))
    assert Overfitting().examine(made) is None
    made = window(epochs=series(train_loss=[0, 0, 0], val_loss=[0.1, 0.9, np.nan]))
    assert Overfitting().examine(made)
    assert gap(np.inf, 1.0) is None
    assert Overfitting().missing(window(epochs=series(train_loss=[np.inf], val_loss=[np.inf])))
