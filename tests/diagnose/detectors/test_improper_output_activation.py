from __future__ import annotations

import pytest

from paramedic.diagnose.detectors.improper_output_activation import ImproperOutputActivation
from paramedic.types import Severity, Window
from tests.diagnose.detectors.judging import bears_anything, fires, judge, reason
from tests.diagnose.windows import chart_of, window

DETECTOR = ImproperOutputActivation()
LOGITS = "binary-cross-entropy-with-logits"


def net(function: str | None, loss: str | None, low: float = 0.0, high: float = 1.0) -> Window:
    """A net that ends in a function, before a loss, with targets in this range."""
    chart = chart_of(2, output_function=function, loss=loss)
    return window(scalars={"target_min": [low], "target_max": [high]}, chart=chart)


@pytest.mark.parametrize(
    ("function", "loss"),
    [
        ("softmax", "cross-entropy"), ("relu", "cross-entropy"), ("sigmoid", LOGITS),
        ("linear", "binary-cross-entropy"), ("softmax", "nll"), ("linear", "nll"),
    ],
)  # fmt: skip
def test_a_function_that_does_not_go_with_the_loss(function: str, loss: str) -> None:
    found = fires(DETECTOR, net(function, loss), Severity.CRITICAL)
    assert found.evidence.items() >= {"output_function": function, "loss": loss}.items()


@pytest.mark.parametrize(
    ("function", "loss"),
    [
        ("linear", "cross-entropy"), ("linear", LOGITS), ("sigmoid", "binary-cross-entropy"),
        ("log_softmax", "nll"), ("linear", "mse"), ("something-else", "cross-entropy"),
        ("softmax", "a-loss-of-their-own"),
    ],
)  # fmt: skip
def test_silent_where_they_go_together(function: str, loss: str) -> None:
    assert judge(DETECTOR, net(function, loss, -5.0, 5.0)) is None


@pytest.mark.parametrize(
    ("function", "low", "high"),
    [("sigmoid", 0.0, 9.0), ("sigmoid", -1.0, 1.0), ("tanh", -3.0, 0.0), ("relu", -4.0, 4.0)],
)
def test_targets_out_of_reach(function: str, low: float, high: float) -> None:
    found = fires(DETECTOR, net(function, "mse", low, high), Severity.CRITICAL)
    assert (found.evidence["target_min"], found.evidence["target_max"]) == (low, high)
    assert len(found.evidence["threshold"]) == 2


@pytest.mark.parametrize(
    ("function", "low", "high"),
    [
        ("sigmoid", 0.0, 1.0),
        ("sigmoid", -0.5 * DETECTOR.reach, 1.0),
        ("tanh", -1.0, 1.0),
        ("relu", 0.0, 1e6),
        ("linear", -1e6, 1e6),
    ],
)
def test_silent_where_targets_can_be_reached(function: str, low: float, high: float) -> None:
    assert judge(DETECTOR, net(function, "mse", low, high)) is None


@pytest.mark.parametrize(("outputs", "told"), [(1, True), (2, False)])
def test_a_softmax_over_one_output(outputs: int, told: bool) -> None:
    facts = {"output_function": "softmax", "loss": "binary-cross-entropy"}
    chart = chart_of(2, output_shape=(32, outputs), **facts)
    given = window(scalars={"target_min": [0.0], "target_max": [1.0]}, chart=chart)
    assert (judge(DETECTOR, given) is not None) == told


def test_targets_that_were_not_seen() -> None:
    chart = chart_of(1, output_function="sigmoid", loss="mse")
    assert judge(DETECTOR, window(chart=chart)) is None


@pytest.mark.parametrize("given", [net(None, "mse"), net("linear", None)])
def test_missing(given: Window) -> None:
    assert reason(DETECTOR, given) == "what stands before the loss could not be seen"


def test_anything() -> None:
    bears_anything(DETECTOR)
