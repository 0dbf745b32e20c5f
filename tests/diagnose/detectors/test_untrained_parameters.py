from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from paramedic.diagnose.detectors.untrained_parameters import UntrainedParameters
from paramedic.types import Kind, Layer, Severity, Window
from tests.diagnose.detectors.judging import bears_anything, fires, judge, reason
from tests.diagnose.windows import chart_of, window

DETECTOR = UntrainedParameters()
FRAMES = DETECTOR.frames


def net(
    gradients: Any = (1.0, 1.0),
    ratios: Any = (1e-3, 1e-3),
    head: int = 100,
    rates: Any = 0.1,
    **body: Any,
) -> Window:
    """A body and a head, and what happens to them."""
    layers = [Layer("body", "Linear", 40, **body), Layer("head", "Linear", head)]
    table = {"grad_norm": [gradients] * FRAMES, "update_ratio": [ratios] * FRAMES}
    chart = chart_of(*layers, optimizers=({"name": "SGD", "lr": 0.1},))
    return window(layers=table, scalars={"lr/0": rates}, chart=chart)


def test_a_layer_that_the_optimizer_was_not_given() -> None:
    found = fires(DETECTOR, net(in_optimizer=False), Severity.WARNING)
    assert found.where == ("body",)
    assert (found.evidence["reason"], found.evidence["parameters"]) == ("optimizer", 40)
    assert found.evidence["frames"] == DETECTOR.frames
    assert found.evidence["by_construction"]


def test_most_of_the_net_is_grave() -> None:
    fires(DETECTOR, net(in_optimizer=False, head=10), Severity.CRITICAL)


def test_a_layer_that_never_gets_a_gradient() -> None:
    found = fires(DETECTOR, net(gradients=(np.nan, 1.0)), Severity.WARNING)
    assert (found.where, found.evidence["reason"]) == (("body",), "gradient")


@pytest.mark.parametrize(("order", "kind"), [((0, 1), Kind.FAULT), ((1, 0), Kind.SUSPICION)])
def test_only_what_comes_before_all_that_is_trained_is_cut_off(
    order: tuple[int, int], kind: Kind
) -> None:
    """A pooler whose output nobody asks for stands behind layers that are trained."""
    layers = [Layer("a", "Linear", 40, order=order[0]), Layer("b", "Linear", 40, order=order[1])]
    table = {
        "grad_norm": [(np.nan, 1.0)] * FRAMES, "update_ratio": [(np.nan, 1e-3)] * FRAMES,
        "act_var": [(1.0, 1.0)] * FRAMES,
    }  # fmt: skip
    chart = chart_of(*layers, optimizers=({"name": "SGD", "lr": 0.1},))
    found = fires(DETECTOR, window(layers=table, chart=chart), Severity.WARNING)
    assert (found.where, found.kind) == (("a",), kind)


def test_a_layer_that_gets_a_gradient_and_does_not_move() -> None:
    found = fires(DETECTOR, net(ratios=(0.0, 1e-3)), Severity.WARNING)
    assert (found.where, found.evidence["reason"]) == (("body",), "movement")
    assert not found.evidence["by_construction"]
    assert "exploding-gradient" in DETECTOR.explains.difference(found.explains)


@pytest.mark.parametrize(
    "healthy",
    [
        net(),
        net(trainable=False, in_optimizer=False, gradients=(np.nan, 1.0)),
        net(in_optimizer=False, executed=False),
        net(ratios=(0.0, 0.0)),
        net(gradients=(DETECTOR.driven / 100, 1.0), ratios=(0.0, 1e-3)),
        net(ratios=(0.0, 1e-3), rates=0.1 * DETECTOR.ended / 2),
    ],
    ids=[
        "all move",
        "frozen",
        "not executed",
        "nothing moves",
        "no gradient to speak of",
        "the schedule has ended",
    ],
)
def test_silent(healthy: Window) -> None:
    assert judge(DETECTOR, healthy) is None


@pytest.mark.parametrize(("gradient", "ratio"), [(np.nan, 1e-3), (1.0, 0.0)])
def test_a_layer_may_rest_for_a_step(gradient: float, ratio: float) -> None:
    gradients = [[gradient, 1.0]] * (FRAMES - 1) + [[1.0, 1.0]]
    ratios = [[ratio, 1e-3]] * (FRAMES - 1) + [[1e-3, 1e-3]]
    given = window(layers={"grad_norm": gradients, "update_ratio": ratios})
    assert judge(DETECTOR, given) is None


def test_missing() -> None:
    assert reason(DETECTOR, window()) == "grad_norm, update_ratio: not measured"
    few = window(layers={"grad_norm": [[1.0]], "update_ratio": [[1.0]]})
    assert reason(DETECTOR, few) == "too few steps were looked at: 1"


def test_anything() -> None:
    bears_anything(DETECTOR)


def test_a_layer_that_stands_still_beside_an_embedding_and_a_head() -> None:
    """The gradient of an embedding is not known, and must not hide that of the head."""
    kinds = [("words", "Embedding"), ("body", "Linear"), ("head", "Linear")]
    layers = [Layer(name, kind, 40) for name, kind in kinds]
    table = {"grad_norm": [(1.0, 1.0, 1.0)] * FRAMES, "update_ratio": [(1e-3, 0, 1e-3)] * FRAMES}
    optimizers = ({"name": "Adam", "lr": 0.1},)
    chart = chart_of(*layers, optimizers=optimizers)
    given = window(layers=table, scalars={"lr/0": 0.1, "lr/1": 0.0}, chart=chart)
    found = fires(DETECTOR, given, Severity.WARNING)
    assert (found.where, found.evidence["reason"]) == (("body",), "movement")
