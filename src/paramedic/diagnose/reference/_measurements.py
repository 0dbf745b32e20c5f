"""What the reference rule sets read from a window in the same way."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from paramedic.types import Window


def layers_with_parameters(window: Window) -> NDArray[np.intp]:
    """The columns of the layers that own parameters, in the order of the columns."""
    return np.flatnonzero([layer.parameters > 0 for layer in window.chart.layers])


def measured_frames(values: NDArray[Any]) -> NDArray[np.intp]:
    """The frames in which at least one of the columns was measured."""
    return np.flatnonzero(~np.isnan(values).all(axis=1))


def newest_row(values: NDArray[Any]) -> NDArray[np.float64] | None:
    """The newest frame in which anything was measured, or None."""
    frames = measured_frames(values)
    return values[frames[-1]].astype(np.float64) if len(frames) else None


def known(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """The values that were measured or handed in."""
    return values[~np.isnan(values)]


def number(value: float) -> float | None:
    """A number for the evidence: None for NaN, which JSON cannot say."""
    return None if np.isnan(value) else float(value)


def losses_seen(window: Window) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """The steps whose loss was seen and those losses; one that is itself NaN was seen."""
    pulse = window.pulse
    seen = ~(np.isnan(pulse.loss) & pulse.finite)
    return pulse.step[seen], pulse.loss[seen]


def non_finite_steps(window: Window) -> NDArray[np.int64]:
    """The steps at which the probe told of a non-finite loss or gradient."""
    steps = [event.step for event in window.events if event.kind == "non-finite"]
    return np.array(steps, np.int64)
