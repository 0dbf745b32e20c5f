from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from paramedic.diagnose.detectors.poor_initialization import PoorInitialization
from paramedic.types import Layer, Severity, Task, Window
from tests.diagnose.detectors.judging import bears_anything, fires, judge, reason
from tests.diagnose.detectors.losses import resting
from tests.diagnose.windows import chart_of, window

DETECTOR = PoorInitialization()
FAN_IN = 100
LINEAR = [Layer(f"layer{place}", "Linear", 1000, fan_in=FAN_IN) for place in range(4)]
NORM = Layer("norm", "BatchNorm1d", 20)


def start(
    weights: Any = (1 / FAN_IN,) * 4,
    activations: Any = (1.0,) * 4,
    layers: Any = LINEAR,
    first_loss: float = 2.3,
) -> Window:
    """The first steps of a net whose loss of guessing is 2.3."""
    steps = min(DETECTOR.judged, 20)
    return window(
        steps,
        layers={"weight_var": [weights] * steps, "act_var": [activations] * steps},
        scalars={"label_entropy": 2.3},
        losses=resting(first_loss, steps),
        chart=chart_of(*layers, loss="cross-entropy", loss_mean=True),
    )


LARGE = 4 * DETECTOR.most**2 / FAN_IN
LARGE_HEAD = (1 / FAN_IN,) * 3 + (LARGE,)  # the others are as usual
SMALL = DETECTOR.least**2 / FAN_IN / 4


def test_weights_that_are_all_equal() -> None:
    found = fires(DETECTOR, start(weights=(0.01, 0, 0, 0.01)), Severity.CRITICAL)
    assert found.where == ("layer1", "layer2")
    assert found.evidence.items() >= {"layers": 2, "variance": 0.0}.items()


@pytest.mark.parametrize("variance", [LARGE, SMALL])
def test_weights_on_the_wrong_scale(variance: float) -> None:
    found = fires(DETECTOR, start(weights=(variance,) * 4), Severity.WARNING)
    least, most = found.evidence["gain_threshold"]
    assert not least < found.evidence["gain"] < most


@pytest.mark.parametrize(("kind", "told"), [("LayerNorm", True), ("BatchNorm1d", False)])
def test_large_weights_matter_unless_a_normalisation_follows(kind: str, told: bool) -> None:
    layers = [*LINEAR, *[Layer(f"norm{place}", kind, 20) for place in range(4)]]
    given = start((LARGE,) * 4 + (0.0,) * 4, (1.0,) * 8, layers)
    assert (judge(DETECTOR, given) is not None) == told


@pytest.mark.parametrize("last", [10 * DETECTOR.growth, 0.1 / DETECTOR.growth])
def test_activations_that_grow_or_die_away(last: float) -> None:
    weights = (2 * DETECTOR.usual**2 / FAN_IN,) * 4
    found = fires(DETECTOR, start(weights, (1, 1, last, last)), Severity.WARNING)
    assert found.evidence["growth"] == pytest.approx(last)
    assert found.evidence["growth_threshold"] == DETECTOR.growth


@pytest.mark.parametrize(("times", "told"), [(1, False), (10 * DETECTOR.most, True)])
def test_recurrent_weights_by_the_size_of_their_state(times: float, told: bool) -> None:
    """A table of many inputs for a small state is drawn by the state."""
    state, inputs = 8, 1000
    cell = Layer("cell", "LSTM", 4 * state * (state + inputs), fan_in=inputs)
    given = start((times**2 / (3 * state), 1 / FAN_IN), (1.0, 1.0), [cell, LINEAR[0]])
    assert (judge(DETECTOR, given) is not None) == told


def test_a_first_loss_far_above_guessing() -> None:
    given = start(LARGE_HEAD, first_loss=4.6 * DETECTOR.first_loss)
    found = fires(DETECTOR, given, Severity.WARNING)
    assert found.evidence["first_loss"] > found.evidence["first_loss_threshold"]


@pytest.mark.parametrize(
    "healthy",
    [
        start(),
        start(weights=(0, 0.01, 0.01, 0.01)),
        start((LARGE,) * 4 + (0.01,) * 2, (1.0,) * 6, [*LINEAR, NORM, NORM]),
        start(activations=(1, 10, 100, 100)),
        start(activations=(1, 1, 1, 0.1 / DETECTOR.growth)),
        start((0.3 / FAN_IN,) * 4, (1, 1, 10 * DETECTOR.growth, 1)),
        start(first_loss=2.3 * DETECTOR.first_loss / 2),
    ],
    ids=[
        "sound",
        "a single layer of zeros",
        "normalised",
        "grows a little",
        "a small output",
        "sums that grow with usual weights",
        "starts a little high",
    ],
)
def test_silent(healthy: Window) -> None:
    assert judge(DETECTOR, healthy) is None


def test_gates_that_begin_at_zero_beside_a_head_that_does() -> None:
    gates = Layer("gates", "ParameterList", 8)
    given = start((0.01, 0.01, 0.0, 0.0), layers=[*LINEAR[:2], gates, LINEAR[3]])
    assert judge(DETECTOR, given) is None


@pytest.mark.parametrize(("first", "told"), [(0.69, False), (0.8 * DETECTOR.first_loss, True)])
def test_where_a_class_is_rare_a_net_begins_with_equal_chances(first: float, told: bool) -> None:
    given = start(LARGE_HEAD, first_loss=first)
    chart = replace(
        given.chart, loss="binary-cross-entropy", task=Task.BINARY, output_shape=(64, 1)
    )
    rare = {"target_mean": np.full(len(given), 0.01)}  # guessing gives 0.056
    found = judge(DETECTOR, replace(given, chart=chart, scalars=rare))
    assert (found is not None) == told


def test_missing() -> None:
    table = {"weight_var": [[1.0]] * 4, "act_var": [[1.0]] * 4}
    assert reason(DETECTOR, window()) == "act_var, weight_var: not measured"
    later = window(range(DETECTOR.steps, DETECTOR.steps + 4), layers=table)
    assert reason(DETECTOR, later) == "the first steps are no longer in the window"
    late = window(layers=table, losses=resting(steps=DETECTOR.judged + 1))
    assert reason(DETECTOR, late) == "only the first steps tell"
    assert reason(DETECTOR, window(layers=table, losses=[1.0])) == "too few steps"


def test_anything() -> None:
    bears_anything(DETECTOR)


def test_a_first_loss_is_the_fault_of_weights_that_are_large() -> None:
    """Of those of a net that was trained before, on data that have changed, it is a note."""
    high = 2 * DETECTOR.first_loss * 2.3
    trained = (1.5**2 / FAN_IN,) * 4
    assert fires(DETECTOR, start(trained, first_loss=high), Severity.INFO).explains == ()
    fires(DETECTOR, start(LARGE_HEAD, first_loss=high), Severity.WARNING)
    assert judge(DETECTOR, start(LARGE_HEAD)) is None
