from __future__ import annotations

import base64
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from paramedic.report.view.maps import LayerMap, maps
from paramedic.types import Chart, Layer
from tests.report.made import course


def _by_name(found: tuple[LayerMap, ...]) -> dict[str, LayerMap]:
    return {one.name: one for one in found}


def decoded(told: dict[str, Any]) -> NDArray[np.float64]:
    """As the script of the page reads it."""
    codes = np.frombuffer(base64.b64decode(told["cells"]), "<u2").astype(float)
    share = (codes - 3) / (65535 - 3)
    if told["scale"] == "log":
        values = told["low"] * (told["high"] / told["low"]) ** share
    else:
        values = told["low"] + share * (told["high"] - told["low"])
    values = np.select([codes == 0, codes == 1, codes == 2], [np.nan, 0.0, np.inf], values)
    found: NDArray[np.float64] = values.reshape(len(told["layers"]), len(told["steps"]))
    return found


def test_each_statistic_has_a_map() -> None:
    found = _by_name(maps(course(), 400))
    assert list(found) == ["grad_norm", "update_ratio", "act_dead", "act_saturated"]
    norm = found["grad_norm"]
    assert norm.layers == ("body.0", "body.1", "body.2")
    assert norm.values.shape == (3, 100)
    assert norm.values[1, 9] == pytest.approx(0.1)
    assert (norm.steps[9], norm.end) == (9, 100)
    assert norm.healthy is None
    assert found["update_ratio"].healthy == (3e-5, 0.2)


def test_values_survive_the_way_to_the_page() -> None:
    run = course(200, 4)
    table = np.array(run.layers["grad_norm"])
    table[3, 0], table[4, 1], table[5, 2] = np.nan, 0.0, np.inf
    norm = _by_name(maps(replace(run, layers={"grad_norm": table}), 400))["grad_norm"]
    assert decoded(norm.to_json()) == pytest.approx(norm.values, rel=1e-3, nan_ok=True)
    dead = _by_name(maps(run, 400))["act_dead"]
    assert decoded(dead.to_json()) == pytest.approx(dead.values, abs=1e-4)


def test_all_values_the_same() -> None:
    ratio = _by_name(maps(course(), 50))["update_ratio"]
    assert decoded(ratio.to_json()) == pytest.approx(ratio.values)


def test_only_zeros() -> None:
    run = course()
    run = replace(run, layers={"grad_norm": np.zeros((100, 3), np.float32)})
    (norm,) = maps(run, 50)
    assert (decoded(norm.to_json()) == 0).all()


def test_thinning_keeps_an_explosion() -> None:
    run = course(5000)
    table = np.array(run.layers["grad_norm"])
    table[4321, 2] = 1e20
    norm = _by_name(maps(replace(run, layers={"grad_norm": table}), 100))["grad_norm"]
    assert norm.values.shape == (3, 100)
    row, column = divmod(int(norm.values.argmax()), 100)
    assert (row, norm.steps[column] <= 4321 < norm.steps[column + 1]) == (2, True)


def test_many_layers_have_fewer_columns() -> None:
    (norm, *_) = maps(course(2000, 500), 400, cells=13_000)
    assert norm.values.shape == (500, 26)


def test_layers_are_in_the_order_of_execution_and_inputs_beside_them() -> None:
    run = course()
    chart = Chart((Layer("late", "Linear", order=2), Layer("early", "Linear", order=1)))
    dead = np.full((100, 2), 0.1, np.float32)
    unseen = np.full((100, 2), np.nan, np.float32)
    unseen[:, 0] = 0.9
    run = replace(run, chart=chart, layers={"act_dead": dead, "input_dead": unseen})
    (found,) = maps(run, 50)
    assert found.layers == ("early", "late", "late (input)")
    assert found.values[:, 0] == pytest.approx([0.1, 0.1, 0.9])


def test_looks_without_the_statistic_leave_no_stripes() -> None:
    run = course()
    table = np.array(run.layers["act_dead"])
    table[1::2] = np.nan
    (found,) = maps(replace(run, layers={"act_dead": table}), 400)
    assert found.steps.tolist() == list(range(0, 100, 2))
    assert not np.isnan(found.values).any()


def test_a_layer_that_the_chart_does_not_know() -> None:
    (norm, *_) = maps(replace(course(), chart=Chart()), 50)
    assert norm.layers == ("#0", "#1", "#2")


def test_the_end_of_a_long_name() -> None:
    (norm, *_) = maps(course(10, 1, called=["a" * 9000 + ".weight"]), 50)
    assert len(norm.layers[0]) == 201
    assert norm.layers[0].endswith("a.weight")


def test_in_words() -> None:
    norm, _, dead, _ = maps(course(10), 50)
    assert norm.summary == (
        "Gradient norm by layer: 3 layers, least 0.001 in body.2 at step 0, "
        "largest 1 in body.0 at step 9."
    )
    assert "least 25 % in body.0" in dead.summary
    nothing = replace(norm, values=np.full((3, 10), np.inf, np.float32))
    assert nothing.summary == "Gradient norm by layer: 3 layers, no value is finite."
