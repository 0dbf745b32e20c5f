from __future__ import annotations

from typing import Any

import pytest

from paramedic.diagnose.detectors.saturated_activation import SaturatedActivation
from paramedic.types import Layer, Severity, Window
from tests.diagnose.detectors.judging import bears_anything, fires, judge, reason
from tests.diagnose.detectors.losses import learning, resting, sloping
from tests.diagnose.windows import chart_of, window

DETECTOR = SaturatedActivation()
FULL = (1 + DETECTOR.saturated) / 2
FREE = DETECTOR.saturated / 2
NET = [Layer("tanh", "Tanh", activation="tanh"), Layer("out", "Linear", 10)]


def values(*shares: float, losses: Any = None, net: Any = NET, **more: Any) -> Window:
    """Eight frames with these shares of saturated values in the layers."""
    given = resting() if losses is None else losses
    table = {"act_saturated": [shares] * 8, **more}
    return window(8, layers=table, losses=given, chart=chart_of(*net))


def test_a_hidden_layer_at_its_bounds() -> None:
    found = fires(DETECTOR, values(FULL, float("nan")), Severity.CRITICAL)
    assert found.where == ("tanh",)
    assert found.evidence["saturated"] == pytest.approx(FULL)
    assert found.evidence["threshold"] == DETECTOR.saturated


def test_a_functional_tanh_is_seen_at_the_input_of_its_reader() -> None:
    found = fires(DETECTOR, values(FREE, FREE, input_saturated=[[0, FULL]] * 8), Severity.CRITICAL)
    assert found.where == ("out",)


@pytest.mark.parametrize(
    "healthy",
    [
        values(FREE, FREE),
        values(FULL, FREE, losses=learning()),
        values(FREE, FULL, net=[NET[1], NET[0]]),
        values(FULL, FREE, losses=sloping(2.3, 2.0)),
    ],
    ids=["free", "has learned", "the output is certain", "learns"],
)
def test_silent(healthy: Window) -> None:
    assert judge(DETECTOR, healthy) is None


def test_missing() -> None:
    assert "no bounded activation" in str(reason(DETECTOR, window(losses=resting())))
    assert reason(DETECTOR, values(FULL, FULL, losses=[1.0])) == "too few losses were seen"
    few = window(layers={"act_saturated": [[FULL, FULL]]}, losses=resting())
    assert reason(DETECTOR, few) == "too few steps were looked at: 1"


def test_anything() -> None:
    bears_anything(DETECTOR)
