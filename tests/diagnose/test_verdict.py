"""Whether a run learns: what each verdict needs, and what it must not be said of."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from paramedic.diagnose.metric import Metric
from paramedic.diagnose.verdict import Assessment, judge
from paramedic.types import Chart, Task, Verdict
from tests.diagnose.windows import chart_of, series, window

STEPS = np.arange(400)
NOISE = 0.05 * np.random.default_rng(0).normal(size=400)
FALLING = 0.3 + 2 * np.exp(-STEPS / 80) + NOISE
LEVEL = 2.3 + NOISE
LABELS = {"label_entropy": [np.log(10)] * 8, "label_majority": [0.12] * 8}


def _classes(**settings: Any) -> Chart:
    usual = {
        "loss": "cross-entropy", "loss_mean": True, "task": Task.MULTI_CLASS,
        "output_shape": (64, 10), "target_shape": (64,),
    }  # fmt: skip
    return chart_of(2, **{**usual, **settings})


def _verdict(losses: Any, **settings: Any) -> Verdict:
    return judge(window(losses=losses, **settings)).verdict


@pytest.mark.parametrize(
    ("losses", "verdict"),
    [
        (FALLING, Verdict.LEARNING),
        (-FALLING - 5, Verdict.NOT_LEARNING),  # it rises, but not far
        (LEVEL, Verdict.NOT_LEARNING),
        (LEVEL[:35], Verdict.TOO_EARLY),
        (LEVEL[:1], Verdict.TOO_EARLY),
        ([], Verdict.TOO_EARLY),
        ([*LEVEL, *[np.nan] * 60], Verdict.DIVERGED),
        (np.concatenate([LEVEL[:20], LEVEL[:380] * 40]), Verdict.DIVERGED),
        ([None] * 100, Verdict.CANNOT_TELL),
    ],
)
def test_the_losses_alone(losses: Any, verdict: Verdict) -> None:
    assert _verdict(losses) is verdict


def test_a_loss_that_fell_to_the_constant_answer_has_not_learned() -> None:
    losses = 2.3 + 50 * np.exp(-STEPS / 10) + NOISE
    assert _verdict(losses) is Verdict.LEARNING
    found = judge(window(losses=losses, scalars=LABELS, chart=_classes()))
    assert found.verdict is Verdict.NOT_LEARNING
    assert "no better than a constant answer" in found.reason
    assert found.numbers["loss of the best constant answer"] == pytest.approx(np.log(10))


def test_a_loss_below_the_constant_answer_from_the_first_step_was_learned_before() -> None:
    losses = 0.8 + NOISE
    assert _verdict(losses, scalars=LABELS, chart=_classes()) is Verdict.LEARNING


WILD = np.random.default_rng(1).choice([2.0, 5.0, 14.0, 4000.0], size=400, p=[0.4, 0.35, 0.2, 0.05])


def test_losses_that_scatter_too_much_to_show_a_fall_are_no_proof_of_failure() -> None:
    found = judge(window(losses=WILD[:100]))
    assert found.verdict is Verdict.TOO_EARLY
    assert "differs so much" in found.reason


def test_a_fall_that_is_not_certain_is_no_proof_of_failure_either() -> None:
    wild = np.random.default_rng(2).normal(size=100)
    assert _verdict(1.0 - 0.3 * STEPS[:100] / 100 + 0.5 * wild) is Verdict.TOO_EARLY


MSE = chart_of(2, loss="mse", loss_mean=True)
LOOKS = range(0, 400, 10)


def _outliers(typical: float) -> Assessment:
    """Targets with a variance of 1, every fourth look of 10,000, a model that explains none of
    the outliers and leaves this fraction of the rest."""
    rare = np.isin(STEPS % 40, (10, 21, 33, 37))
    losses = np.where(rare, 1e4, typical) * (1 + NOISE)
    spreads = np.where(rare, 100.0, 1.0)[::10]
    shown = window(
        LOOKS, losses=losses, chart=MSE,
        scalars={"loss": losses[::10], "target_std": spreads, "target_mean": [0.0] * 40},
    )  # fmt: skip
    return judge(shown)


def test_each_batch_is_held_against_its_own_constant_answer() -> None:
    found = _outliers(1.0)
    assert found.verdict is Verdict.NOT_LEARNING
    assert "in a typical batch" in found.reason
    assert _outliers(0.4).verdict is Verdict.LEARNING
    assert _outliers(0.9).verdict is Verdict.TOO_EARLY


def test_a_loss_that_does_not_depend_on_the_parameters_does_not_learn() -> None:
    still = np.full(400, 1e-30)
    chart = chart_of(2, surrogate="weights of both signs")
    found = judge(window(losses=still, scalars={"grad_norm": [0.0] * 8}, chart=chart))
    assert found.verdict is Verdict.NOT_LEARNING
    assert "zero" in found.reason
    other = window(losses=still, scalars={"grad_norm": [0.0] * 7 + [0.1]}, chart=chart)
    assert judge(other).verdict is Verdict.CANNOT_TELL


FELL = 0.3 + 2 * np.exp(-STEPS / 20) + NOISE


def _composed(fit: Any, losses: Any = FELL) -> Assessment:
    """A loss of several parts, one of which compares with targets whose constant answer is 0.31."""
    scalars = {"fit_loss": np.full(40, fit), "fit_constant": [0.31] * 40}
    return judge(window(range(0, 400, 10), losses=losses, scalars=scalars))


def test_a_composed_loss_whose_comparison_is_at_a_constant_answer_has_not_learned() -> None:
    found = _composed(0.32)
    assert found.verdict is Verdict.NOT_LEARNING
    assert "0.32" in found.reason
    assert "0.31" in found.reason
    assert found.numbers["that part for the best constant answer"] == 0.31


def test_a_composed_loss_whose_comparison_is_better_or_a_trifle_learns() -> None:
    assert _composed(0.25).verdict is Verdict.LEARNING
    assert _composed(0.32, FELL + 1).verdict is Verdict.LEARNING  # a trifle of it


def test_a_composed_loss_that_still_falls_is_given_time() -> None:
    assert _composed(1.0, 3 - STEPS / 200 + NOISE / 5).verdict is Verdict.TOO_EARLY


def test_squares_written_by_hand_have_a_constant_answer_too() -> None:
    scalars = {"implied_mean": [0.0] * 6, "implied_std": [3.0] * 6}
    chart = chart_of(2, loss="mse", loss_mean=True)
    losses = 9 + 40 * np.exp(-STEPS / 10) + NOISE
    assert _verdict(losses, scalars=scalars, chart=chart) is Verdict.NOT_LEARNING


def test_an_explosion_that_is_not_made_good_is_a_divergence() -> None:
    back = np.where(STEPS < 50, 1e6, 8.0) + NOISE
    losses = [10.0, *back]
    found = judge(window(losses=losses))
    assert found.verdict is Verdict.DIVERGED
    assert "did not recover" in found.reason
    recovered = [10.0, *np.where(STEPS < 50, 1e6, 0.5) + NOISE]
    assert _verdict(recovered) is Verdict.LEARNING


def test_one_spike_is_no_divergence() -> None:
    losses = FALLING.copy()
    losses[200] = 1e6
    assert _verdict(losses) is Verdict.LEARNING


def test_a_loss_that_runs_to_minus_infinity_has_diverged() -> None:
    assert _verdict(1 - 0.05 * np.exp(STEPS / 20)) is Verdict.DIVERGED
    density = 40 - 100 * (1 - np.exp(-STEPS / 80)) + NOISE  # bounded, as a likelihood is
    assert _verdict(density) is Verdict.LEARNING


def test_a_loss_around_zero_says_nothing() -> None:
    losses = np.random.default_rng(1).normal(size=400)
    found = judge(window(losses=losses))
    assert found.verdict is Verdict.CANNOT_TELL
    assert "around zero" in found.reason


def test_a_surrogate_is_judged_by_the_metric_of_the_program() -> None:
    better = Metric("return", np.linspace(10, 200, 60) + 20 * NOISE[:60])
    same = Metric("return", 20 + 100 * NOISE[:60])
    chart = chart_of(2, surrogate="it is a policy gradient")
    shown = window(losses=LEVEL, chart=chart)
    assert judge(shown).verdict is Verdict.CANNOT_TELL
    assert judge(shown).reason == "it is a policy gradient"
    assert judge(shown, better).verdict is Verdict.LEARNING
    assert judge(shown, same).verdict is Verdict.NOT_LEARNING
    assert judge(window(losses=LEVEL), better, "an environment").verdict is Verdict.LEARNING


def test_a_metric_that_is_only_logged_proves_nothing_where_it_is_not_better() -> None:
    shown = window(losses=LEVEL, chart=chart_of(2, surrogate="it is a policy gradient"))
    better = Metric("reward", np.linspace(0.1, 0.9, 20), logged=True)
    same = Metric("reward", 0.5 + NOISE[:20], logged=True)
    found = judge(shown, better)
    assert found.verdict is Verdict.LEARNING
    assert found.reason == "reward 0.1632 at first, 0.8368 at the end"
    found = judge(shown, same)
    assert found.verdict is Verdict.CANNOT_TELL
    assert found.reason.startswith(
        "it is a policy gradient; and not clearly better than at first: reward "
    )
    few = Metric("reward", np.linspace(0.1, 0.9, 4), logged=True)
    assert judge(shown, few).reason == "it is a policy gradient"


def test_validation_decides() -> None:
    guessing = series(val_acc=[0.1, 0.12, 0.09, 0.1], val_loss=[2.4, 2.9, 3.5, 4.0])
    knowing = series(val_acc=[0.3, 0.6, 0.7, 0.8])
    shown = {"scalars": LABELS, "chart": _classes()}
    assert _verdict(FALLING, epochs=guessing, **shown) is Verdict.NOT_LEARNING
    assert _verdict(LEVEL, epochs=knowing, **shown) is Verdict.LEARNING


def test_a_bound_of_the_most_frequent_class_proves_no_failure() -> None:
    """Of characters the entropy allows a share of 0.36, and the most frequent one has 0.15."""
    epochs = series(val_acc=[0.2, 0.25, 0.27])
    labels = {"label_entropy": [2.9] * 8}
    shown = {"epochs": epochs, "chart": _classes(output_shape=(64, 60))}
    assert _verdict(FALLING, scalars=labels, **shown) is Verdict.LEARNING
    counted = {**labels, "label_majority": [0.3] * 8}
    assert _verdict(FALLING, scalars=counted, **shown) is Verdict.NOT_LEARNING


def test_several_optimizers_share_a_loss_that_says_little() -> None:
    chart = chart_of(2, optimizers=({"name": "Adam"}, {"name": "Adam"}))
    assert _verdict(LEVEL, chart=chart) is Verdict.CANNOT_TELL
    assert _verdict(FALLING, chart=chart) is Verdict.LEARNING


def test_a_validation_loss_above_the_constant_answer_is_no_learning() -> None:
    worse = series(val_loss=[2.4, 2.9, 3.5, 4.0])
    better = series(val_loss=[2.2, 1.5, 1.2, 1.1])
    shown = {"scalars": LABELS, "chart": _classes()}
    assert _verdict(FALLING, epochs=worse, **shown) is Verdict.NOT_LEARNING
    assert _verdict(FALLING, epochs=better, **shown) is Verdict.LEARNING


def test_a_validation_that_is_never_finite_has_diverged() -> None:
    epochs = [{"val_loss": float("nan")}, {"val_loss": float("nan")}]
    assert _verdict(FALLING, epochs=epochs) is Verdict.DIVERGED


def test_nothing_moves() -> None:
    fell_a_little = 2.3 - 0.3 * np.minimum(STEPS / 40, 1) + NOISE
    rates = {"lr/0": [0.1, 1e-2, 1e-4, 1e-26, 1e-26, 1e-26, 1e-26, 1e-26]}
    found = judge(window(losses=fell_a_little, scalars=rates))
    assert found.verdict is Verdict.NOT_LEARNING
    assert "learning rate" in found.reason
    assert _verdict(FALLING, scalars=rates) is Verdict.LEARNING
    still = {"update_ratio": [[0.0, 0.0]] * 6}
    assert _verdict(LEVEL, layers=still) is Verdict.NOT_LEARNING


def test_a_run_that_still_falls_above_its_baseline_is_too_young() -> None:
    losses = 50 - 0.1 * STEPS + NOISE
    assert _verdict(losses, scalars=LABELS, chart=_classes()) is Verdict.TOO_EARLY


def test_words_and_plain_values() -> None:
    found = Assessment(Verdict.LEARNING, "the loss fell from 2 to 1", {"steps": 10.0})
    assert str(found) == "learning: the loss fell from 2 to 1"
    assert found.to_json() == {
        "verdict": "learning",
        "reason": "the loss fell from 2 to 1",
        "numbers": {"steps": 10.0},
    }
