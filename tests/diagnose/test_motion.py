from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from paramedic.diagnose.motion import Motion, elasticity, motion, moves, weight_growth
from paramedic.types import Layer, Window
from tests.diagnose.windows import chart_of, window

NAN = math.nan
STEADY = settings(deadline=None, derandomize=True)  # the same cases on any machine


def net(ratios: Any, gradients: Any = 1.0, *, frames: int = 6, **more: Any) -> Window:
    width = np.shape(ratios)[-1]
    table = {
        "update_ratio": np.broadcast_to(ratios, (frames, width)),
        "grad_norm": np.broadcast_to(gradients, (frames, width)),
    }
    return window(layers=table, **more)


def read(given: Window) -> Motion:
    found = motion(given)
    assert found is not None
    return found


def test_the_typical_layer() -> None:
    assert read(net([1e-4, 1e-3, 1e-1])).middle == pytest.approx(1e-3)


def test_one_wild_frame_does_not_count() -> None:
    ratios = np.full((6, 2), 1e-3)
    ratios[3] = 1e3
    assert read(net(ratios)).middle == pytest.approx(1e-3)


@STEADY
@given(unit=st.floats(1e-9, 1e9))
def test_depth_does_not_depend_on_the_scale_of_the_loss(unit: float) -> None:
    found = read(net([1e-3] * 4, np.multiply([1e-6, 1e-3, 1.0, 1.0], unit)))
    assert found.depth_ratio == pytest.approx(1e-6, rel=1e-3)
    assert found.blocked


def test_a_gradient_is_taken_per_weight() -> None:
    sizes = [Layer("a", "Linear", 100), Layer("b", "Linear", 10_000), Layer("c", "Linear", 100)]
    found = read(net([1e-3] * 3, [1.0, 10.0, 1.0], chart=chart_of(*sizes)))
    assert found.gradients == pytest.approx(0.1)
    assert found.depth_ratio == pytest.approx(1.0)
    assert not found.blocked


def test_embeddings_have_no_say_in_depth() -> None:
    table = Layer("table", "Embedding", 10)
    found = read(net([1e-3] * 4, [1e-9, 1.0, 1.0, 1.0], chart=chart_of(table, 3)))
    assert found.depth_ratio == pytest.approx(1.0)


def test_two_layers_have_no_depth() -> None:
    found = read(net([1e-3] * 2, [1e-9, 1.0]))
    assert math.isnan(found.depth_ratio)
    assert not found.blocked


@pytest.mark.parametrize(("last", "rises"), [(1.0, False), (0.1, False), (2.0, True)])
def test_a_warm_up_is_seen(last: float, rises: bool) -> None:
    given = net([1e-3], scalars={"lr/0": np.linspace(1.0, last, 6)})
    assert read(given).rate_rises is rises


@pytest.mark.parametrize("given_window", [window(), net([NAN]), net(np.empty((6, 0)))])
def test_nothing_was_measured(given_window: Window) -> None:
    assert motion(given_window) is None
    assert len(moves(given_window)) == 0


def test_moves_frame_by_frame() -> None:
    ratios = [[1, 2, 3], [NAN, NAN, NAN], [4, 5, 6]]
    assert moves(net(ratios, frames=3)).tolist() == [2, 5]


def test_weight_growth() -> None:
    assert weight_growth(window(layers={"weight_norm": [[3, 4], [30, 40]]})) == pytest.approx(10)
    assert weight_growth(window(layers={"weight_norm": [[3, 4]]})) == 1.0
    assert weight_growth(window(layers={"weight_norm": [[0, 0], [1, 1]]})) == 1.0
    assert weight_growth(window(layers={"weight_norm": [[math.inf] * 2] * 2})) == 1.0
    assert weight_growth(window()) == 1.0


def _weights(loss: Any, gradient: Any, weight: Any = 2.0) -> Window:
    frames = len(np.atleast_1d(loss))
    return window(
        layers={
            "weight_norm": np.full((frames, 1), weight),
            "grad_norm": np.reshape(gradient, (frames, 1)),
        },
        scalars={"loss": loss},
    )


@STEADY
@given(unit=st.floats(1e-6, 1e6))
def test_elasticity_has_no_unit(unit: float) -> None:
    found = elasticity(_weights(np.multiply([1.0, 2.0], unit), np.multiply([10.0, 10.0], unit)))
    assert found == pytest.approx([20.0, 10.0])


def test_embeddings_do_not_count() -> None:
    chart = chart_of(2)
    table = replace(chart.layers[0], kind="Embedding")
    given = window(
        layers={"weight_norm": [[1e6, 2.0]], "grad_norm": [[1e6, 5.0]]},
        scalars={"loss": 1.0},
        chart=replace(chart, layers=(table, chart.layers[1])),
    )
    assert elasticity(given) == pytest.approx([10.0])


def test_a_loss_near_zero_is_not_violent() -> None:
    assert elasticity(_weights([1.0] * 9 + [0.0], [1.0] * 10)).max() <= 2.0 / 0.01
    assert len(elasticity(_weights([NAN] * 3, [1.0] * 3))) == 0
    assert len(elasticity(window())) == 0


def test_a_layer_whose_scale_is_undone_needs_no_gradient() -> None:
    chart = chart_of(4)
    point, beside, norm, last = chart.layers
    scaled = replace(point, fan_in=1)
    batch_norm = replace(norm, kind="BatchNorm2d")
    tiny = np.tile([1e-9, 1.0, 1.0, 1.0], (8, 1))
    table = {"update_ratio": np.full((8, 4), 1e-3), "grad_norm": tiny}
    undone = replace(chart, layers=(scaled, beside, batch_norm, last))
    found = motion(window(8, layers=table, chart=undone))
    assert found is not None
    assert np.isnan(found.gradients[0])
    kept = motion(
        window(8, layers=table, chart=replace(undone, layers=(scaled, beside, norm, last)))
    )
    assert kept is not None
    assert kept.gradients[0] < 1e-6
