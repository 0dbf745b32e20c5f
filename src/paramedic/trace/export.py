"""A trace as Arrow tables, for pandas, polars, DuckDB or a notebook.

Needs `pyarrow`: install paramedic[arrow].
"""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

from paramedic.trace.codec import MOST_CELLS
from paramedic.trace.errors import TraceError
from paramedic.trace.reader import Trace
from paramedic.types import Epoch, Event, Frame, Pulse

_SUFFIXES = (".parquet", ".arrow", ".feather")
_MOST_ROWS = 1024  # frames in memory at once


def export(trace: Trace, path: str | os.PathLike[str]) -> tuple[Path, ...]:
    """Writes the trace as tables and gives the files that were written.

    The suffix chooses the format: `.parquet`, or `.arrow` and `.feather`, which are the same
    Arrow file. `run.parquet` has one row per frame:

    | column              | type                                                           |
    |---------------------|----------------------------------------------------------------|
    | `step`, `level`     | int64, string                                                  |
    | one for each scalar | float64: `loss`, `grad_norm`, `lr/0` …                         |
    | `layer_…`           | list of float32, one value per layer: `layer_grad_norm` …      |

    NaN means not measured. The chart, with the names of the layers, is JSON in the metadata of
    the schema under `paramedic.chart`. What is not a frame goes to `run.pulse.parquet`,
    `run.epochs.parquet` and `run.events.parquet`, each only if there is something to write.
    """
    target = Path(path)
    if target.suffix not in _SUFFIXES:
        valid = ", ".join(f"`{suffix}`" for suffix in _SUFFIXES)
        raise ValueError(f"`{target.name}` must end in one of {valid}.")
    arrow = _pyarrow()
    written = []
    for name, schema, batches in _tables(arrow, trace):
        place = target.with_suffix(f"{name}{target.suffix}")
        _write(arrow, place, schema, batches)
        written.append(place)
    return tuple(written)


def _pyarrow() -> Any:
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError as error:
        raise ImportError("`export` needs `pyarrow`: install paramedic[arrow].") from error
    return pyarrow


def _tables(arrow: Any, trace: Trace) -> Iterator[tuple[str, Any, Iterable[Any]]]:
    frames = _FrameTable(arrow, trace)
    yield "", frames.schema, frames.batches()
    others = {
        ".pulse": _pulse_columns(trace.pulse()),
        ".epochs": _epoch_columns(trace.epochs),
        ".events": _event_columns(trace.events),
    }
    for name, columns in others.items():
        if len(columns["step"]):
            batch = arrow.record_batch(columns)
            yield name, batch.schema, [batch]


def _write(arrow: Any, place: Path, schema: Any, batches: Iterable[Any]) -> None:
    """Under another name until it is complete: half a table looks like a short run."""
    part = place.with_name(f"{place.name}.part")
    is_parquet = place.suffix == ".parquet"
    open_file = arrow.parquet.ParquetWriter if is_parquet else arrow.ipc.new_file
    try:
        with open_file(str(part), schema) as file:
            for batch in batches:
                file.write_batch(batch)
        part.replace(place)
    finally:
        part.unlink(missing_ok=True)


class _FrameTable:
    """The table of the frames: its schema, and its rows batch by batch."""

    def __init__(self, arrow: Any, trace: Trace) -> None:
        self._arrow = arrow
        # A live run may go on. What is committed up to here has its layouts committed too.
        self._frames = trace.frames(stop=trace.last_step + 1)
        layouts = trace.layouts
        self._scalars = dict.fromkeys(name for layout in layouts for name in layout.scalars)
        self._statistics = dict.fromkeys(name for layout in layouts for name in layout.layers)
        self._width = max((layout.width for layout in layouts), default=0)
        self.schema = self._make_schema(trace)

    def _make_schema(self, trace: Trace) -> Any:
        arrow = self._arrow
        # Parquet knows no list of fixed size 0.
        size = self._width or -1
        columns = [("step", arrow.int64()), ("level", arrow.string())]
        columns += [(name, arrow.float64()) for name in self._scalars]
        vector = arrow.list_(arrow.float32(), size)
        columns += [(f"layer_{name}", vector) for name in self._statistics]
        twice = [name for name, count in Counter(name for name, _ in columns).items() if count > 1]
        if twice:
            names = ", ".join(f"`{name}`" for name in twice)
            raise TraceError(trace.path, f"cannot be exported: it has two columns named {names}.")
        metadata = {"paramedic.chart": json.dumps(trace.chart.to_json())}
        return arrow.schema(columns, metadata=metadata)

    def batches(self) -> Iterator[Any]:
        cells = max(len(self._statistics) * self._width, 1)
        rows = min(max(MOST_CELLS // cells, 1), _MOST_ROWS)
        while frames := list(islice(self._frames, rows)):
            columns = [
                self._arrow.array([frame.step for frame in frames]),
                self._arrow.array([frame.level for frame in frames]),
            ]
            for name in self._scalars:
                values = [frame.scalars.get(name, np.nan) for frame in frames]
                columns.append(self._arrow.array(values, self._arrow.float64()))
            columns += [self._vectors(frames, name) for name in self._statistics]
            yield self._arrow.record_batch(columns, schema=self.schema)

    def _vectors(self, frames: list[Frame], name: str) -> Any:
        if not self._width:
            return self._arrow.array([[] for _ in frames], self._arrow.list_(self._arrow.float32()))
        matrix = np.full((len(frames), self._width), np.nan, np.float32)
        for row, frame in zip(matrix, frames, strict=True):
            values = frame.layers.get(name)
            if values is not None:
                row[: len(values)] = values
        return self._arrow.FixedSizeListArray.from_arrays(matrix.reshape(-1), self._width)


def _pulse_columns(pulse: Pulse) -> dict[str, Any]:
    names = ("step", "loss", "finite", "skipped")
    return {name: getattr(pulse, name) for name in names}


def _epoch_columns(epochs: tuple[Epoch, ...]) -> dict[str, Any]:
    """One row per epoch and value: the names are the user's and may change during a run."""
    rows = [(epoch, name, value) for epoch in epochs for name, value in epoch.values.items()]
    return {
        "epoch": np.array([epoch.epoch for epoch, _, _ in rows], np.int64),
        "step": np.array([epoch.step for epoch, _, _ in rows], np.int64),
        "name": [name for _, name, _ in rows],
        "value": np.array([value for _, _, value in rows], np.float64),
    }


def _event_columns(events: tuple[Event, ...]) -> dict[str, Any]:
    return {
        "step": np.array([event.step for event in events], np.int64),
        "kind": [event.kind for event in events],
        "message": [event.message for event in events],
        "data": [json.dumps(event.data) for event in events],
    }
