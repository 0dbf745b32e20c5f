"""How the weights move, and whether a gradient reaches them: shared by several detectors."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from paramedic.diagnose.rows import (
    learner_places,
    learners,
    measured,
    middle,
    middles,
    normalises,
    scalars,
)
from paramedic.types import Chart, Window

_RECENT = 16  # full frames
_BLOCKED = 1e-3  # gradient of the weakest layer against the strongest, per weight


@dataclass(frozen=True, slots=True)
class Motion:
    """Update-to-weight ratios and gradients of the layers that learn."""

    middle: float  # the median layer's update ratio, median over frames
    gradients: NDArray[np.float64]  # of each learner: root mean square, median over frames
    rate_rises: bool  # a warm-up is under way

    @property
    def depth_ratio(self) -> float:
        """The weakest gradient of the first half of the layers against the last layers', per
        weight; NaN with fewer than three layers."""
        seen = self.gradients[np.isfinite(self.gradients)]
        if len(seen) < 3:
            return float("nan")
        late = float(seen[-2:].max())
        return float(seen[: (len(seen) + 1) // 2].min()) / late if late > 0 else float("nan")

    @property
    def blocked(self) -> bool:
        """Whether gradients hardly reach some of the early layers."""
        return self.depth_ratio < _BLOCKED


def motion(window: Window) -> Motion | None:
    """The motion in a window, or None if weights were not measured. Use `window.of_frames`."""
    rows = learners(window)
    ratios = measured(window, "update_ratio", _RECENT)
    if not len(ratios) or not len(rows):
        return None
    with np.errstate(invalid="ignore", divide="ignore"):
        layers = middles(ratios[:, rows])
        norms = measured(window, "grad_norm", _RECENT)[:, rows]
        gradients = middles(norms) / window.of_chart(_roots_of_sizes)
        gradients[window.of_chart(_tables)] = np.nan  # a batch uses few rows of a table
        gradients[window.of_chart(_scales)] = np.nan
    known = layers[np.isfinite(layers)]
    if not len(known):
        return None
    rates = scalars(window, "lr/0")
    return Motion(
        middle=middle(known),
        gradients=gradients,
        rate_rises=bool(len(rates) > 1 and rates[-1] > 1.02 * rates[0]),
    )


def _roots_of_sizes(chart: Chart) -> NDArray[np.float64]:
    sizes = [chart.layers[place].parameters for place in learner_places(chart)]
    return np.sqrt(np.array(sizes, np.float64))


def _tables(chart: Chart) -> NDArray[np.bool_]:
    kinds = [chart.layers[place].kind for place in learner_places(chart)]
    return np.array([kind.startswith("Embedding") for kind in kinds], np.bool_)


def _scales(chart: Chart) -> NDArray[np.bool_]:
    """Layers that only scale what a normalisation then scales back: they need no gradient."""
    run = sorted((layer for layer in chart.layers if layer.executed), key=lambda one: one.order)
    undone, scaled_back = set(), False
    for layer in reversed(run):
        # Layers side by side share the normalisation that follows them.
        scaled_back = normalises(layer) or (scaled_back and layer.parameters > 0)
        if scaled_back and layer.fan_in == 1:
            undone.add(layer.name)
    return np.array([chart.layers[at].name in undone for at in learner_places(chart)], np.bool_)


def _no_tables(chart: Chart) -> NDArray[np.intp]:
    places = learner_places(chart)
    others = places[~_tables(chart)] if len(places) else places
    return others if len(others) else places


def moves_seen(window: Window, most: int) -> int:
    """In how many of the last frames weights were measured: there are as many `moves`."""
    ratios = measured(window, "update_ratio", most)[:, learners(window)]
    return int(np.isfinite(ratios).any(axis=1).sum())


def is_seen_moving(window: Window) -> bool:
    """Whether they were lately, so that there is a `motion`. Use `window.of_frames`."""
    return moves_seen(window, _RECENT) > 0


def moves(window: Window) -> NDArray[np.float64]:
    """The update ratio of the typical layer, frame by frame. Use `window.of_frames`."""
    rows = learners(window)
    ratios = measured(window, "update_ratio")
    if not len(ratios) or not len(rows):
        return np.empty(0)
    found = middles(ratios[:, rows].T)
    return found[np.isfinite(found)]


def weight_growth(window: Window) -> float:
    """The size of the weights now against that in the first frame of the window."""
    sizes = measured(window, "weight_norm")[:, learners(window)].astype(np.float64)
    if len(sizes) < 2:
        return 1.0
    first, last = (float(np.nansum(row**2)) ** 0.5 for row in (sizes[0], sizes[-1]))
    return last / first if 0 < first < np.inf else 1.0


def elasticity(window: Window) -> NDArray[np.float64]:
    """How violently the loss answers to the weights, where it is known. Use `window.of_frames`."""
    found = window.of_frames(elasticities)
    chosen: NDArray[np.float64] = found[np.isfinite(found)]
    return chosen


def elasticities(window: Window) -> NDArray[np.float64]:
    """How violently the loss answers to the weights, frame by frame. Use `window.of_frames`.

    The gradient's norm times that of the weights over the loss: by how many times its own size
    the loss would change if the weights changed by theirs, to first order. It has no unit, so it
    does not depend on the scale of the loss, of the targets or of the weights. Embeddings are
    left out: a batch uses few of their rows.
    """
    rows = window.of_chart(_no_tables)
    totals, gradients = (
        _total_norms(window.layer(name)[:, rows]) for name in ("weight_norm", "grad_norm")
    )
    loss = np.abs(window.scalar("loss"))
    known = np.isfinite(loss) & (totals > 0)
    # A loss near zero is success: it must not make the ratio look violent.
    floor = 0.01 * middle(loss[known])
    with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
        found = gradients * totals / np.maximum(loss, floor)
    found[~known] = np.nan
    return found


def _total_norms(norms: NDArray[np.float32]) -> NDArray[np.float64]:
    """The norm of all layers together, frame by frame, of those that were measured."""
    exact = norms.astype(np.float64)
    exact[np.isnan(exact)] = 0.0
    squares: NDArray[np.float64] = np.einsum("ij,ij->i", exact, exact)
    return np.sqrt(squares)
