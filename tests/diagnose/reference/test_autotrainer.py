from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from paramedic.diagnose.reference.autotrainer import (
    AbnormalData,
    DyingRelu,
    ExplodingGradient,
    ImproperLoss,
    ImproperOutputActivation,
    OscillatingLoss,
    SlowConvergence,
    VanishingGradient,
)
from paramedic.diagnose.rules import choose
from paramedic.types import Severity, Task, Window
from tests.diagnose.windows import chart_of, non_finite, series, window

LOW = series(val_acc=[0.1, 0.2, 0.3])
AT_THETA = series(val_acc=[0.1, 0.2, 0.7])
GOOD = series(val_acc=[0.1, 0.2, 0.71])
EMBEDDING = chart_of(("embedding", "Embedding", 900), ("head", "Linear", 100))


def gradients(*norms: float, epochs: list[dict[str, float]] = LOW) -> Window:
    return window(layers={"grad_norm": list(norms)}, epochs=epochs)


def zeros(*shares: float, epochs: list[dict[str, float]] = LOW) -> Window:
    return window(layers={"grad_zero": list(shares)}, epochs=epochs)


def outputs(*largest: float, epochs: list[dict[str, float]] = LOW) -> Window:
    return window(layers={"act_max_abs": list(largest)}, epochs=epochs)


def task_window(
    epochs: list[dict[str, float]] = LOW, scalars: dict[str, float] | None = None, **chart: object
) -> Window:
    return window(1, scalars=scalars, epochs=epochs, chart=chart_of(1, **chart))


# -- what all share -----------------------------------------------------------------------------


def test_none_debounces_and_all_say_when_there_is_no_accuracy() -> None:
    for rule in choose("autotrainer"):
        assert rule.patience == 1
        reason = rule.missing(
            task_window(epochs=[], loss="mse", output_function="linear", task=Task.REGRESSION)
        )
        assert reason is not None
        assert "no accuracy was handed in" in reason


def test_the_first_check_is_after_three_epochs() -> None:
    early = gradients(1e-5, 1, epochs=LOW[:2])
    assert "after 3 epochs" in (VanishingGradient().missing(early) or "")
    assert VanishingGradient(every=2).missing(early) is None
    assert VanishingGradient(every=2).examine(early) is not None


def test_between_checks_the_last_verdict_stands() -> None:
    norms = [[1e-5, 1], [1, 1]]
    for last in (9, 10, 11):
        epochs = [{"val_acc": 0.1, "step": step} for step in (1, 2, 9, 10, 11)[: last - 6]]
        made = window([9, 10], layers={"grad_norm": norms}, epochs=epochs)
        assert VanishingGradient().missing(made) is None
        assert VanishingGradient().examine(made) is not None


def test_training_accuracy_counts_where_there_is_no_validation() -> None:
    assert VanishingGradient().examine(gradients(1e-5, 1, epochs=series(train_acc=[0.1] * 3)))
    both = series(train_acc=[0.9] * 3, val_acc=[0.1, np.nan, 0.2])
    assert VanishingGradient().examine(gradients(1e-5, 1, epochs=both))


def test_missing_when_no_frame_of_the_check_is_left() -> None:
    epochs = [{"val_acc": 0.1, "step": step} for step in (1, 2, 3)]
    made = window([4, 5], layers={"grad_norm": [1, 2]}, epochs=epochs)
    assert "grad_norm" in (VanishingGradient().missing(made) or "")
    assert VanishingGradient().missing(gradients(np.nan, np.nan)) is not None


# -- vanishing gradient ---------------------------------------------------------------------------


def test_vanishing_at_the_boundary() -> None:
    rule = VanishingGradient(ratio=0.25, norm=0.5)
    finding = rule.examine(gradients(0.5, 9, 2, epochs=AT_THETA))
    assert finding is not None
    assert finding.severity is Severity.WARNING
    assert finding.confidence == 1.0
    assert finding.where == ("layer0",)
    assert finding.evidence["ratio"] == 0.25 == finding.evidence["threshold"]
    assert finding.evidence["norm"] == 0.5 == finding.evidence["norm_threshold"]


@pytest.mark.parametrize(
    ("norms", "epochs"),
    [
        ((0.5, 1.99), LOW),  # the ratio is above
        ((0.51, 4), LOW),  # the norm is above
        ((0.5, 2), GOOD),  # accurate enough
    ],
)
def test_vanishing_needs_all_three(
    norms: tuple[float, ...], epochs: list[dict[str, float]]
) -> None:
    assert VanishingGradient(ratio=0.25, norm=0.5).examine(gradients(*norms, epochs=epochs)) is None


def test_vanishing_defaults() -> None:
    assert VanishingGradient().examine(gradients(9e-5, 1))
    assert VanishingGradient().examine(gradients(9e-5, 0.05)) is None
    assert VanishingGradient().examine(gradients(2e-4, 1)) is None


def test_vanishing_passes_over_what_was_not_measured() -> None:
    assert VanishingGradient().examine(gradients(np.nan, 1e-5, 1, np.nan))
    assert VanishingGradient().examine(gradients(0, 0)) is None  # has no ratio: a known fault
    assert VanishingGradient().examine(gradients(1e-5, np.inf)) is not None
    assert VanishingGradient().examine(gradients(np.inf, np.inf)) is None


def test_vanishing_must_hold_in_every_iteration() -> None:
    for first, fires in ((1e-5, True), (1.0, False)):
        made = window(3, layers={"grad_norm": [[1, 1], [first, 1], [1e-5, 1]]}, epochs=LOW)
        assert (VanishingGradient(iterations=1).examine(made) is not None) is fires
    assert VanishingGradient(iterations=3).missing(made) is not None


def test_layers_without_parameters_are_not_looked_at() -> None:
    chart = chart_of(("fc", "Linear", 4), ("act", "ReLU", 0), ("out", "Linear", 4))
    made = window(layers={"grad_norm": [1e-5, 7, 1]}, chart=chart, epochs=LOW)
    assert VanishingGradient().examine(made)


@given(st.lists(st.floats(2**-40, 2**20, width=32), min_size=2, max_size=9))
def test_the_product_over_adjacent_layers_decides(norms: list[float]) -> None:
    product = np.prod([a / b for a, b in pairwise(norms)])
    made = gradients(*norms)
    if abs(np.log(product / 1e-3)) > 1e-9:
        vanishing = bool(product <= 1e-3 and norms[0] <= 1e-4)
        assert (VanishingGradient().examine(made) is not None) is vanishing
    if abs(np.log(product / 70)) > 1e-9:
        assert (ExplodingGradient().examine(made) is not None) is bool(product >= 70)


# -- exploding gradient ---------------------------------------------------------------------------


def test_exploding_at_the_boundary_and_below() -> None:
    finding = ExplodingGradient().examine(gradients(70, 3, 1, epochs=AT_THETA))
    assert finding is not None
    assert finding.evidence["ratio"] == 70.0 == finding.evidence["threshold"]
    assert ExplodingGradient().examine(gradients(69.9, 3, 1)) is None
    assert ExplodingGradient().examine(gradients(70, 1, epochs=GOOD)) is None
    assert ExplodingGradient().examine(gradients(1, 0)) is not None


def test_a_gradient_that_is_no_number_explodes() -> None:
    for norms in ((1, np.inf), (np.inf, np.inf), (np.inf, 1)):
        finding = ExplodingGradient().examine(gradients(*norms))
        assert finding is not None
        assert finding.evidence["non_finite"] is True
    assert ExplodingGradient().examine(gradients(1, np.inf, epochs=GOOD)) is None


def test_an_event_in_the_iteration_is_enough() -> None:
    epochs = [{"val_acc": 0.1, "step": step} for step in (10, 20, 30)]
    for step, fires in ((21, True), (30, True), (20, False), (31, False)):
        made = window(
            [15, 29], layers={"grad_norm": [1, 1]}, epochs=epochs, events=[non_finite(step)]
        )
        assert (ExplodingGradient().examine(made) is not None) is fires


# -- dying ReLU -----------------------------------------------------------------------------------


def test_dying_relu_at_the_boundary_and_below() -> None:
    finding = DyingRelu(share=0.75).examine(zeros(1.0, 0.5, epochs=AT_THETA))
    assert finding is not None
    assert finding.evidence["share"] == 0.75 == finding.evidence["threshold"]
    assert finding.where == ("layer0",)
    assert DyingRelu(share=0.75).examine(zeros(1.0, 0.49)) is None
    assert DyingRelu(share=0.75).examine(zeros(1.0, 0.5, epochs=GOOD)) is None
    assert DyingRelu().examine(zeros(0.71, 0.71))
    assert DyingRelu().examine(zeros(0.69, 0.69)) is None


def test_layers_that_were_not_measured_do_not_count() -> None:
    assert DyingRelu().examine(zeros(0.9, np.nan))
    assert "grad_zero" in (DyingRelu().missing(gradients(1, 2)) or "")


def test_an_embedding_is_called_dead() -> None:
    """A known fault: the words that a batch does not have get no gradient."""
    made = window(layers={"grad_zero": [0.95, 0.0]}, chart=EMBEDDING, epochs=LOW)
    assert DyingRelu().examine(made)


@given(st.lists(st.tuples(st.floats(0, 1, width=32), st.integers(1, 10**6)), min_size=1))
def test_the_share_is_over_all_parameters(layers: list[tuple[float, int]]) -> None:
    share = sum(z * n for z, n in layers) / sum(n for _, n in layers)
    chart = chart_of(*((f"l{i}", "Linear", n) for i, (_, n) in enumerate(layers)))
    made = window(layers={"grad_zero": [z for z, _ in layers]}, chart=chart, epochs=LOW)
    finding = DyingRelu(share=0.0).examine(made)
    assert finding is not None
    assert finding.evidence["share"] == pytest.approx(share)


# -- oscillating loss and slow convergence --------------------------------------------------------


def curve(*accuracy: float) -> Window:
    return window(epochs=series(val_acc=accuracy))


def test_oscillating_at_the_boundary_and_below() -> None:
    # One top of 0.5 and one bottom of 0.25 in five values: a fifth.
    rule = OscillatingLoss(every=5, swing=0.25)
    finding = rule.examine(curve(0.0, 0.5, 0.25, 0.5, 0.75))
    assert finding is not None
    assert finding.evidence["share"] == 0.2 == finding.evidence["threshold"]
    assert finding.evidence["swings"] == 1
    assert rule.examine(curve(0.0, 0.5, 0.26, 0.5, 0.75)) is None  # too small a swing
    rare = OscillatingLoss(every=6, swing=0.25)
    assert rare.examine(curve(0.0, 0.5, 0.25, 0.5, 0.75, 1.0)) is None  # too few
    assert rule.missing(curve(0.1)) is not None


def test_a_value_between_equal_ones_is_top_and_bottom() -> None:
    assert OscillatingLoss(swing=0.0).examine(curve(0.1, 0.1, 0.1))
    assert OscillatingLoss().examine(curve(0.1, 0.1, 0.1)) is None


def test_high_accuracy_does_not_excuse_oscillation_or_slowness() -> None:
    """Known faults: neither of the two asks how good the run is."""
    assert OscillatingLoss().examine(curve(0.99, 0.9, 0.99, 0.9, 0.99, 0.9))
    assert SlowConvergence().examine(curve(0.99, 0.99, 0.99))


@given(st.lists(st.integers(0, 20).map(lambda i: i / 20), min_size=3, max_size=30))
def test_oscillation_by_direct_count(accuracy: list[float]) -> None:
    k = len(accuracy) - len(accuracy) % 3
    a = accuracy[:k]
    tops = [a[i] for i in range(1, k - 1) if a[i] >= max(a[i - 1], a[i + 1])]
    bottoms = [a[i] for i in range(1, k - 1) if a[i] <= min(a[i - 1], a[i + 1])]
    swings = sum(top - bottom >= 0.03 for top, bottom in zip(tops, bottoms, strict=False))
    assert (OscillatingLoss().examine(curve(*accuracy)) is not None) is (swings / k >= 0.2)
    slow = all(a[i] - a[i - 1] <= 0.01 for i in range(1, k))
    assert (SlowConvergence().examine(curve(*accuracy)) is not None) is slow


def test_slow_at_the_boundary_and_below() -> None:
    finding = SlowConvergence(growth=0.25).examine(curve(0.0, 0.25, 0.5))
    assert finding is not None
    assert finding.evidence == {"growth": 0.25, "threshold": 0.25}
    assert SlowConvergence(growth=0.25).examine(curve(0.0, 0.25, 0.51)) is None
    assert SlowConvergence().examine(curve(0.0, 0.1, 0.11)) is None
    assert "two epochs" in (SlowConvergence().missing(curve(0.1, np.nan, np.nan, 0.2)) or "")


# -- improper functions ---------------------------------------------------------------------------

CLASSES = {"target_kind": "integer", "output_shape": (8, 10), "target_shape": (8,)}
TWO = {"target_kind": "integer", "output_shape": (8, 1), "target_shape": (8, 1)}
NUMBERS = {"target_kind": "float", "output_shape": (8, 1), "task": Task.REGRESSION}


@pytest.mark.parametrize(
    ("chart", "proper", "improper"),
    [
        (CLASSES, ("softmax", "log-softmax"), ("relu", "sigmoid", "linear", "convolution")),
        (TWO, ("sigmoid",), ("relu", "softmax", "linear")),
        (NUMBERS, ("linear", "convolution", "add"), ("relu", "sigmoid", "softmax")),
    ],
)
def test_output_functions(
    chart: dict[str, object], proper: tuple[str, ...], improper: tuple[str, ...]
) -> None:
    rule = ImproperOutputActivation()
    for function in proper:
        assert rule.examine(task_window(output_function=function, **chart)) is None
    for function in improper:
        bad = task_window(output_function=function, epochs=AT_THETA, **chart)
        finding = rule.examine(bad)
        assert finding is not None
        assert finding.evidence["accuracy"] == 0.7 == finding.evidence["satisfactory"]
        assert rule.examine(task_window(output_function=function, epochs=GOOD, **chart)) is None


def test_logits_of_a_cross_entropy_are_called_improper() -> None:
    """A known fault: the softmax is inside PyTorch's loss."""
    made = task_window(output_function="linear", loss="cross-entropy", **CLASSES)
    finding = ImproperOutputActivation().examine(made)
    assert finding is not None
    assert finding.evidence["threshold"] == ["log-softmax", "softmax"]
    assert ImproperLoss().examine(made) is None


@pytest.mark.parametrize(
    ("chart", "proper", "improper"),
    [
        (CLASSES, ("cross-entropy", "nll"), ("mse", "l1", "binary-cross-entropy")),
        (TWO, ("binary-cross-entropy", "binary-cross-entropy-with-logits"), ("mse", "nll")),
        (NUMBERS, ("mse", "l1"), ("huber", "smooth-l1", "MyLoss")),  # Huber: a known fault
    ],
)
def test_losses(
    chart: dict[str, object], proper: tuple[str, ...], improper: tuple[str, ...]
) -> None:
    for loss in proper:
        assert ImproperLoss().examine(task_window(loss=loss, **chart)) is None
    for loss in improper:
        assert ImproperLoss().examine(task_window(loss=loss, **chart))
        assert ImproperLoss().examine(task_window(loss=loss, epochs=GOOD, **chart)) is None


def test_mse_on_labels_is_improper() -> None:
    """The task is read from the targets, not from the loss."""
    labels = {"target_min": 0.0, "target_max": 1.0, "target_mean": 0.25, "target_std": 0.1875**0.5}
    made = task_window(
        scalars=labels,
        loss="mse",
        task=Task.REGRESSION,
        target_kind="float",
        output_shape=(8, 4),
        target_shape=(8, 4),
    )
    finding = ImproperLoss().examine(made)
    assert finding is not None
    assert finding.evidence["task"] == "multi-class"


def test_missing_function_or_task() -> None:
    assert "output function" in (ImproperOutputActivation().missing(task_window()) or "")
    assert "loss function" in (ImproperLoss().missing(task_window()) or "")
    unknown = task_window(loss="mse", output_function="relu")
    for rule in (ImproperLoss(), ImproperOutputActivation()):
        assert "unknown" in (rule.missing(unknown) or "")
        known = task_window(loss="mse", output_function="relu", **CLASSES)
        assert rule.missing(known) is None


# -- abnormal data --------------------------------------------------------------------------------


def test_abnormal_data_at_the_boundary_and_below() -> None:
    finding = AbnormalData().examine(outputs(1, 10, 3, epochs=AT_THETA))
    assert finding is not None
    assert finding.evidence["largest"] == 10.0 == finding.evidence["threshold"]
    assert finding.where == ("layer1",)
    assert AbnormalData().examine(outputs(1, 9.99, np.nan)) is None
    assert AbnormalData().examine(outputs(1, 10, epochs=GOOD)) is None
    assert AbnormalData().examine(outputs(np.nan, np.inf))
    assert "act_max_abs" in (AbnormalData().missing(gradients(1, 2)) or "")


def test_activations_without_parameters_count() -> None:
    chart = chart_of(("fc", "Linear", 4), ("act", "ReLU", 0))
    made = window(layers={"act_max_abs": [1, 50]}, chart=chart, epochs=LOW)
    finding = AbnormalData().examine(made)
    assert finding is not None
    assert finding.where == ("act",)
