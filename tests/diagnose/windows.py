"""A builder of windows, so that a test says only what matters to it.

```python
window(layers={"grad_norm": [1e-9, 1e-5, 1e-1]})                  # one frame, three layers
window(layers={"grad_norm": [1, 2]}, scalars={"loss": [3, 2, 1]})   # three frames alike in `layers`
window(losses=[2.3, 2.2, 2.4])                                    # heartbeats only, no frame
window(epochs=series(train_loss=[2, 1], val_acc=[0.1, 0.5]))      # two epochs
```
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from paramedic.trace.losses import LossHistory
from paramedic.types import Chart, Epoch, Event, Layer, Losses, Pulse, Window


def window(
    steps: int | Sequence[int] | None = None,
    *,
    layers: Mapping[str, ArrayLike] | None = None,
    scalars: Mapping[str, ArrayLike] | None = None,
    losses: ArrayLike = (),
    epochs: Sequence[Mapping[str, float]] = (),
    chart: Chart | None = None,
    events: Sequence[Event] = (),
    skipped: ArrayLike | None = None,
    ended: bool = False,
) -> Window:
    """A window of frames, heartbeats, epochs and events.

    `steps` are the steps of the frames, or how many frames there are (0, 1, 2 …); without it
    there are as many frames as the longest array in `layers` and `scalars` has.
    `layers` maps a statistic to one row per frame, or to a single row that holds for all frames;
    `scalars` to one value per frame, or to a single value. NaN is *not measured*.
    `losses` are the heartbeats up to the newest step; one that is NaN counts as not finite, use
    None for one that was not seen. `skipped` says which of them were skipped.
    `epochs` maps names to values (see `series`); their ends are spread evenly over the steps
    unless an epoch has a `step` among its values.
    `chart` is by default one `Linear` with ten parameters per column: `layer0`, `layer1` …
    """
    rows = {name: np.atleast_2d(np.asarray(given, np.float32)) for name, given in _items(layers)}
    values = {name: np.atleast_1d(np.asarray(given, float)) for name, given in _items(scalars)}
    places = _steps(steps, [len(array) for array in (*rows.values(), *values.values())])
    pulse = _pulse(losses, skipped, int(places[-1]) if len(places) else -1)
    last = max([*places[-1:].tolist(), *pulse.step[-1:].tolist()], default=-1)
    width = max((array.shape[1] for array in rows.values()), default=0)
    return Window(
        chart=chart or chart_of(width),
        steps=_fixed(places),
        scalars={name: _fixed(_spread(array, (len(places),))) for name, array in values.items()},
        layers={
            name: _fixed(_spread(array, (len(places), array.shape[1])))
            for name, array in rows.items()
        },
        pulse=pulse,
        epochs=tuple(
            _epoch(place, given, _end(place, len(epochs), last))
            for place, given in enumerate(epochs)
        ),
        events=tuple(events),
        ended=ended,
        losses=_condensed(pulse),
    )


def _condensed(pulse: Pulse) -> Losses:
    history = LossHistory()
    history.extend(pulse)
    return history.condensed()


def series(**values: Sequence[float]) -> list[dict[str, float]]:
    """Epochs from one sequence per name; NaN is a value that was not handed in.

    `series(train_loss=[2, 1], val_acc=[nan, 0.5])` gives `[{"train_loss": 2}, {…}]`.
    """
    length = max(len(one) for one in values.values())
    return [
        {
            name: float(one[place])
            for name, one in values.items()
            if place < len(one) and not np.isnan(one[place])
        }
        for place in range(length)
    ]


def chart_of(*columns: int | tuple[str, str, int] | Layer, **settings: Any) -> Chart:
    """A chart: `chart_of(3)` has three `Linear` layers with ten parameters each, and
    `chart_of(("fc", "Linear", 40), ("act", "ReLU", 0), loss="mse")` what it says."""
    found: list[Layer] = []
    for column in columns:
        if isinstance(column, int):
            found += [Layer(f"layer{place}", "Linear", 10) for place in range(column)]
        else:
            found.append(column if isinstance(column, Layer) else Layer(*column))
    ordered = (
        replace(one, order=place) if one.order == 0 else one for place, one in enumerate(found)
    )
    return Chart(layers=tuple(ordered), **settings)


def non_finite(step: int, where: str = "layer0", kind: str = "gradient") -> Event:
    """The event of a non-finite value, as the probe tells it."""
    return Event(step, "non-finite", f"Step {step}: non-finite.", {"kind": kind, "where": where})


def _items(given: Mapping[str, ArrayLike] | None) -> Sequence[tuple[str, ArrayLike]]:
    return list((given or {}).items())


def _steps(given: int | Sequence[int] | None, lengths: Sequence[int]) -> NDArray[np.int64]:
    if given is None:
        given = max(lengths, default=0)
    return np.arange(given) if isinstance(given, int) else np.asarray(given, np.int64)


def _pulse(losses: ArrayLike, skipped: ArrayLike | None, last: int) -> Pulse:
    given = list(np.asarray(losses, object))
    loss = np.array([np.nan if one is None else one for one in given], np.float64)
    first = max(last - len(loss) + 1, 0)
    finite = np.array([one is None or bool(np.isfinite(one)) for one in given], np.bool_)
    jumped = np.zeros(len(loss), np.bool_) if skipped is None else np.asarray(skipped, np.bool_)
    step = np.arange(first, first + len(loss), dtype=np.int64)
    return Pulse(_fixed(step), _fixed(loss), _fixed(finite), _fixed(jumped))


def _end(place: int, count: int, last: int) -> int:
    return max(-(-(place + 1) * (last + 1) // count) - 1, 0)


def _epoch(place: int, given: Mapping[str, float], end: int) -> Epoch:
    values = {name: value for name, value in given.items() if name != "step"}
    return Epoch(place, int(given.get("step", end)), values)


def _spread(array: NDArray[Any], shape: tuple[int, ...]) -> NDArray[Any]:
    """The array itself, or its only row for every frame."""
    return np.array(np.broadcast_to(array, shape))


def _fixed(array: NDArray[Any]) -> NDArray[Any]:
    array.flags.writeable = False
    return array
