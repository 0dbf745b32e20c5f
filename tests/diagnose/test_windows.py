from __future__ import annotations

import numpy as np
import pytest

from paramedic.types import Layer
from tests.diagnose.windows import chart_of, non_finite, series, window


def test_one_row_is_one_frame_of_named_layers() -> None:
    made = window(layers={"grad_norm": [1, 2, 3]})
    assert made.names == ("layer0", "layer1", "layer2")
    assert made.steps.tolist() == [0]
    assert made.layer("grad_norm").dtype == np.float32
    assert np.isnan(made.layer("grad_mean")).all()


def test_a_single_row_or_value_holds_for_every_frame() -> None:
    made = window(layers={"grad_norm": [1, 2]}, scalars={"loss": [3, 2, 1], "scale": 8})
    assert made.layer("grad_norm").tolist() == [[1, 2]] * 3
    assert made.scalar("scale").tolist() == [8, 8, 8]


def test_heartbeats_end_at_the_newest_step() -> None:
    made = window([0, 10, 20], scalars={"loss": 1}, losses=[3, None, np.inf])
    assert made.pulse.step.tolist() == [18, 19, 20]
    assert made.pulse.finite.tolist() == [True, True, False]
    assert np.isnan(made.pulse.loss[1])


def test_epochs_are_spread_over_the_steps_unless_they_say_where_they_end() -> None:
    made = window(10, epochs=[{"val_acc": 0.1}, {"val_acc": 0.2}])
    assert [epoch.step for epoch in made.epochs] == [4, 9]
    assert window(10, epochs=[{"step": 7, "val_acc": 0.1}]).epochs[0].step == 7


def test_a_series_leaves_out_what_is_nan() -> None:
    made = window(epochs=series(train_loss=[2, 1], val_acc=[np.nan, 0.5]))
    assert made.epochs[0].values == {"train_loss": 2.0}
    assert made.series("val_acc")[1] == 0.5


def test_arrays_are_read_only_and_events_come_through() -> None:
    made = window(layers={"grad_norm": [1]}, losses=[1], events=[non_finite(3)])
    assert made.events[0].kind == "non-finite"
    for array in (made.steps, made.layer("grad_norm"), made.pulse.loss):
        with pytest.raises(ValueError, match="read-only"):
            array[...] = 0


def test_a_chart_of_given_layers() -> None:
    chart = chart_of(("fc", "Linear", 40), Layer("act", "ReLU", 0), loss="mse")
    assert [(one.name, one.parameters, one.order) for one in chart.layers] == [
        ("fc", 40, 0),
        ("act", 0, 1),
    ]
    assert chart.loss == "mse"
