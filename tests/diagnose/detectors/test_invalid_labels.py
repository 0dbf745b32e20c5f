from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from paramedic.diagnose.detectors.invalid_labels import InvalidLabels
from paramedic.types import Kind, Layer, Severity, Task, Window
from tests.diagnose.detectors.judging import bears_anything, fires, judge, reason
from tests.diagnose.windows import chart_of, window

DETECTOR = InvalidLabels()
FRAMES = 2 * DETECTOR.frames
TURNS = np.arange(FRAMES) % 4.0
SORTED = np.repeat([0.0, 1.0], DETECTOR.frames)


def labels(low: Any, high: Any, *, chart: dict[str, Any] | None = None, **more: Any) -> Window:
    """Batches of 32 with integer labels in this range, for a net with ten outputs."""
    facts = {
        "loss": "cross-entropy", "task": Task.MULTI_CLASS, "target_kind": "integer",
        "output_shape": (32, 10), **(chart or {}),
    }  # fmt: skip
    scalars = {
        "target_nan": 0.0, "target_min": low, "target_max": high, "target_constant": 0.0,
        "batch_size": 32.0, **more,
    }  # fmt: skip
    return window(FRAMES, scalars=scalars, chart=chart_of(2, **facts))


def numbers(lowest: Any, **more: Any) -> Window:
    """Regression on targets with such a smallest one in each batch."""
    facts = {
        "loss": "mse",
        "task": Task.REGRESSION,
        "target_kind": "float",
        "output_shape": (32, 1),
    }
    spread = {"target_mean": -30.0, "target_std": 175.0, **more}
    return labels(lowest, 3.7 + np.arange(FRAMES) / 10, chart=facts, **spread)


BINARY = {"loss": "binary-cross-entropy-with-logits", "task": Task.BINARY, "target_kind": "float"}
TWO = {"optimizers": ({"name": "Adam"}, {"name": "Adam"})}


def test_nan() -> None:
    found = fires(DETECTOR, labels(0, 9, target_nan=0.5), Severity.CRITICAL)
    assert found.evidence["share"] == 0.5


def test_batches_without_a_label_that_counts() -> None:
    found = fires(DETECTOR, labels(-100, [-100.0] + [9.0] * (FRAMES - 1)), Severity.CRITICAL)
    assert found.evidence["batches"] == 1


def test_a_probability_out_of_range() -> None:
    found = fires(DETECTOR, labels(-1, 1, chart=BINARY), Severity.CRITICAL)
    assert (found.evidence["smallest"], found.evidence["largest"]) == (-1, 1)


def test_one_label_for_all() -> None:
    found = fires(DETECTOR, labels(3, 3), Severity.CRITICAL)
    assert found.evidence["value"] == 3


def test_one_label_per_batch_and_the_next_has_another() -> None:
    found = fires(DETECTOR, labels(TURNS, TURNS, target_constant=1.0), Severity.CRITICAL)
    assert found.evidence["changes"] > found.evidence["threshold"] == DETECTOR.changes


def test_a_number_that_stands_for_a_missing_one() -> None:
    found = fires(DETECTOR, numbers(-999.0), Severity.CRITICAL)
    assert (found.evidence["value"], found.evidence["share"]) == (-999.0, 1.0)
    assert found.evidence["deviations"] > found.evidence["threshold"] == DETECTOR.away


@pytest.mark.parametrize(
    "lowest", [-998.5, -999.0 - np.arange(FRAMES)], ids=["not whole", "another each time"]
)
def test_far_targets_that_stand_for_nothing(lowest: Any) -> None:
    assert judge(DETECTOR, numbers(lowest)) is None


def far(largest: Any, **more: Any) -> Window:
    """Regression on targets of about zero whose largest is far from it."""
    given = {"loss": "mse", "task": Task.REGRESSION, "target_kind": "float"}
    return labels(0, largest, chart=given, target_mean=0.05, **more)


def test_rare_answers_and_caps_stand_for_nothing() -> None:
    assert judge(DETECTOR, far(1.0, target_std=0.2)) is None  # a rare reward
    capped = np.where(np.arange(FRAMES) % 3, 10.0, 9.5)
    assert judge(DETECTOR, far(capped, target_std=1.5)) is None


def test_a_stand_in_that_some_batches_lack() -> None:
    some = np.arange(FRAMES) % 2 == 0
    found = fires(
        DETECTOR,
        far(np.where(some, 999.0, 1.5), target_std=np.where(some, 170.0, 0.5)),
        Severity.CRITICAL,
    )
    assert found.evidence["share"] == pytest.approx(0.5)


def test_the_smallest_target_may_come_again_and_again() -> None:
    assert judge(DETECTOR, numbers(0.0, target_mean=2.0, target_std=1.0)) is None


def test_classes_counted_from_one() -> None:
    found = fires(DETECTOR, labels(1, 9), Severity.WARNING)
    assert found.evidence.items() >= {"smallest": 1, "outputs": 10}.items()


@pytest.mark.parametrize(
    "healthy",
    [
        labels(0, 9),
        labels(-100, 9),
        labels(0, 1, chart=BINARY),
        labels(3, 3, chart=TWO),
        labels(SORTED, SORTED, target_constant=1.0),
        labels(TURNS, TURNS, target_constant=1.0, batch_size=DETECTOR.batch / 2),
        labels(0, 9, target_constant=[0.0] + [1.0] * (FRAMES - 1)),
        labels(1, 8),
        labels(1, 9, chart={"task": Task.REGRESSION}),
        labels(1, 1, chart={"output_shape": (32, 2), **TWO}),
    ],
    ids=[
        "sound", "some ignored", "probabilities", "adversaries", "sorted", "small batches",
        "one mixed batch", "two classes never come", "numbers", "two classes",
    ],
)  # fmt: skip
def test_silent(healthy: Window) -> None:
    assert judge(DETECTOR, healthy) is None


def test_missing() -> None:
    assert reason(DETECTOR, window()) == "the targets could not be seen"


def test_anything() -> None:
    bears_anything(DETECTOR)


def test_zero_for_all_is_a_note_where_a_residual_may_be_held_against_it() -> None:
    facts = {"loss": "mse", "task": Task.REGRESSION, "target_kind": "float"}
    found = fires(DETECTOR, labels(0, 0, chart=facts), Severity.INFO)
    assert (found.evidence["value"], found.explains) == (0, ())
    fires(DETECTOR, labels(3, 3, chart=facts), Severity.CRITICAL)
    fires(DETECTOR, labels(0, 0), Severity.CRITICAL)


def test_a_reward_in_every_batch_stands_for_nothing_missing() -> None:
    """The worths of the other places grow towards it while they are learned."""
    facts = {"loss": "smooth-l1", "task": Task.REGRESSION, "target_kind": "float"}
    others = 0.1 + np.arange(FRAMES) / 1000
    spread = {"target_mean": 0.24, "target_std": 0.18}
    assert judge(DETECTOR, labels(others, 1.0, chart=facts, **spread)) is None


def test_a_critic_is_shown_batches_of_one_label_in_turns() -> None:
    alternating = np.arange(FRAMES) % 2.0
    one = labels(alternating, alternating, target_constant=1.0, chart=BINARY)
    fires(DETECTOR, one, Severity.CRITICAL)
    two = labels(alternating, alternating, target_constant=1.0, chart={**BINARY, **TWO})
    assert judge(DETECTOR, two) is None


BIASED = Layer("head", "Linear", 10 * (7 + 1), fan_in=7, order=2)


@pytest.mark.parametrize(
    ("head", "function", "size", "kind"),
    [
        (BIASED, "linear", 100.0, Kind.FAULT),
        (BIASED, "linear", 32.0, Kind.SUSPICION),  # too few labels
        (BIASED, "softmax", 100.0, Kind.SUSPICION),
        (replace(BIASED, parameters=70), "linear", 100.0, Kind.SUSPICION),  # no bias
    ],
)
def test_one_class_is_a_fault_where_a_bias_can_answer_it(
    head: Layer, function: str, size: float, kind: Kind
) -> None:
    chart = chart_of(
        head, loss="cross-entropy", task=Task.MULTI_CLASS, target_kind="integer",
        output_shape=(32, 10), output_function=function,
    )  # fmt: skip
    scalars = {"target_nan": 0.0, "target_min": 3.0, "target_max": 3.0, "batch_size": size}
    found = DETECTOR.examine(window(FRAMES, scalars=scalars, chart=chart))
    assert found is not None
    assert found.kind is kind
