from __future__ import annotations

import math

import numpy as np

from paramedic.diagnose.status import Status, flow
from paramedic.trace import History
from paramedic.types import Chart, Frame, Layer, Window


def _window(*rows: list[float]) -> Window:
    layers = (
        Layer("0", "Linear", parameters=4),
        Layer("1", "ReLU"),
        Layer("2", "Linear", parameters=16),
        Layer("3", "Linear", parameters=16, tied_to="2"),
    )
    history = History()
    history.set_chart(Chart(layers=layers))
    for step, row in enumerate(rows):
        history.add_frame(Frame(step, "vitals", {}, {"grad_norm": np.array(row, np.float32)}))
    return history.window()


def test_the_flow_is_per_weight_and_of_layers_that_learn() -> None:
    nothing = [math.nan] * 4
    assert flow(_window([9.0] * 4, [2.0, 5.0, 8.0, 5.0], nothing)) == {"0": 1.0, "2": 2.0}
    assert flow(_window([math.inf, 1.0, math.nan, 1.0])) == {"0": math.inf}
    assert flow(_window()) == {}


def test_the_time_left() -> None:
    assert Status(step=9, steps=40, seconds=5.0).seconds_left == 15.0
    assert Status(step=9, seconds=5.0).seconds_left is None
    assert Status(steps=40).seconds_left is None
    assert math.isnan(Status().loss)
