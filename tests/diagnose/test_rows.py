from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

from paramedic.diagnose.rows import (
    is_narrow,
    learners,
    learns,
    measured,
    middle,
    middles,
    names,
    normalises,
    scalars,
)
from paramedic.types import Layer
from tests.diagnose.windows import chart_of, window

FINITE = st.floats(-(2.0**100), 2.0**100, width=32)
ANY = st.floats(-(2.0**100), 2.0**100, width=32) | st.sampled_from([math.nan, math.inf, -math.inf])
NAN = math.nan
STEADY = settings(deadline=None, derandomize=True)  # the same cases on any machine


@STEADY
@given(st.lists(FINITE, min_size=1, max_size=40))
def test_middle_is_the_median(values: list[float]) -> None:
    assert middle(np.array(values)) == pytest.approx(float(np.median(values)), rel=1e-12)


@STEADY
@given(st.lists(FINITE, min_size=1, max_size=20), st.randoms())
def test_middle_does_not_depend_on_the_order(values: list[float], random: object) -> None:
    mixed = sorted(values, key=lambda _: random.random())  # type: ignore[attr-defined]
    assert middle(np.array(mixed)) == middle(np.array(values))


def test_middle_of_nothing() -> None:
    assert math.isnan(middle(np.empty(0)))


@STEADY
@given(arrays(np.float32, array_shapes(min_dims=2, max_dims=2, max_side=9), elements=ANY))
def test_middles_are_the_medians_of_what_is_finite(table: np.ndarray) -> None:
    for column, found in zip(table.T.astype(np.float64), middles(table), strict=True):
        known = column[np.isfinite(column)]
        wanted = float(np.median(known)) if len(known) else NAN
        assert found == pytest.approx(wanted, rel=1e-6, nan_ok=True)


def test_middles_of_no_rows_and_of_no_columns() -> None:
    assert np.isnan(middles(np.empty((0, 3)))).all()
    assert middles(np.empty((3, 0))).shape == (0,)


def test_middles_of_the_largest_numbers() -> None:
    largest = np.finfo(np.float32).max
    assert middles(np.full((2, 1), largest)).tolist() == [float(largest)]


def test_measured_leaves_out_frames_without_the_statistic() -> None:
    given = window(layers={"grad_norm": [[1, NAN], [NAN, NAN], [3, 4]]})
    assert measured(given, "grad_norm")[:, 0].tolist() == [1, 3]
    assert measured(given, "grad_norm", 1).tolist() == [[3, 4]]
    assert measured(given, "update_ratio").shape == (0, 2)


def test_measured_without_layers() -> None:
    given = window(layers={"grad_norm": np.empty((3, 0))})
    assert measured(given, "grad_norm").size == 0


def test_scalars_leaves_out_what_was_not_measured() -> None:
    given = window(scalars={"loss": [1, NAN, math.inf, 3]})
    assert scalars(given, "loss").tolist() == [1, math.inf, 3]
    assert scalars(given, "loss", 1).tolist() == [3]
    assert scalars(given, "no-such-thing").tolist() == []


def test_learners_are_in_order_of_execution_and_no_normalisation() -> None:
    layers = [
        Layer("late", "Linear", 10, order=3),
        Layer("norm", "BatchNorm1d", 10, order=2),
        Layer("early", "Linear", 10, order=1),
        Layer("frozen", "Linear", 10, trainable=False, order=4),
        Layer("forgotten", "Linear", 10, in_optimizer=False, order=5),
        Layer("relu", "ReLU", order=6),
    ]
    given = window(chart=chart_of(*layers))
    assert names(given, learners(given)) == ("early", "late")
    assert [learns(layer) for layer in layers] == [True, False, True, False, False, False]
    assert [normalises(layer) for layer in layers] == [False, True, False, False, False, False]


def test_a_net_is_narrow_if_its_last_layer_reads_a_single_number() -> None:
    body, head = Layer("body", "Conv1d", 40, fan_in=9), Layer("head", "Linear", 8, fan_in=1)
    assert is_narrow(chart_of(body, head))
    assert is_narrow(chart_of(body, head, ("scale", "LayerNorm", 2)))
    assert not is_narrow(chart_of(head))
    assert not is_narrow(chart_of(head, body))
    assert not is_narrow(chart_of(body, Layer("scale", "Scale", 8, fan_in=1)))


def test_frames_without_a_statistic_are_left_out_whichever_layer_was_seen() -> None:
    table = [[NAN, 1.0], [NAN, NAN], [2.0, NAN], [NAN, 3.0]]
    found = measured(window(layers={"grad_norm": table}), "grad_norm")
    np.testing.assert_array_equal(found, np.array([table[0], table[2], table[3]], np.float32))
    whole = [[1.0, NAN], [2.0, 1.0]]
    assert len(measured(window(layers={"grad_norm": whole}), "grad_norm")) == 2
    assert len(measured(window(layers={"grad_norm": [[NAN, NAN]]}), "grad_norm")) == 0
