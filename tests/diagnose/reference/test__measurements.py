from __future__ import annotations

import numpy as np

from paramedic.diagnose.reference._measurements import (
    known,
    layers_with_parameters,
    losses_seen,
    measured_frames,
    newest_row,
    non_finite_steps,
    number,
)
from paramedic.types import Event
from tests.diagnose.windows import chart_of, non_finite, window


def test_layers_with_parameters() -> None:
    chart = chart_of(("a", "Linear", 4), ("act", "ReLU", 0), ("b", "Linear", 4))
    assert layers_with_parameters(window(chart=chart)).tolist() == [0, 2]
    assert layers_with_parameters(window()).tolist() == []


def test_measured_frames_and_the_newest_of_them() -> None:
    values = np.array([[1, np.nan], [np.inf, 2], [np.nan, np.nan]], np.float32)
    assert measured_frames(values).tolist() == [0, 1]
    newest = newest_row(values)
    assert newest is not None
    assert newest.tolist() == [np.inf, 2]
    assert newest.dtype == np.float64
    assert newest_row(values[2:]) is None
    assert newest_row(np.empty((3, 0))) is None


def test_known_and_number() -> None:
    assert known(np.array([1, np.nan, np.inf])).tolist() == [1, np.inf]
    assert number(np.nan) is None
    assert number(np.float64(2)) == 2.0


def test_a_loss_that_is_nan_was_seen() -> None:
    steps, losses = losses_seen(window(losses=[1.0, None, np.nan, 2.0]))
    assert steps.tolist() == [0, 2, 3]
    assert np.isnan(losses[1])


def test_only_non_finite_events_count() -> None:
    made = window(events=[non_finite(3), Event(4, "labels", "")])
    assert non_finite_steps(made).tolist() == [3]
    assert non_finite_steps(window()).tolist() == []
