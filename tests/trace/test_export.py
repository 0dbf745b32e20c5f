from __future__ import annotations

import json
import math
import sqlite3
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from paramedic.trace import Trace, TraceError, Writer, export
from paramedic.types import Chart, Epoch, Event, Frame

MakeFrame = Callable[..., Frame]
MODULE = sys.modules[export.__module__]  # the function has taken its name in the package


def _read(path: Path) -> Any:
    pytest.importorskip("pyarrow")
    import pyarrow as pa
    import pyarrow.feather
    import pyarrow.parquet

    if path.suffix == ".parquet":
        return pa.parquet.read_table(path)
    if path.suffix == ".feather":
        return pa.feather.read_table(path)
    return pa.ipc.open_file(path).read_all()


@pytest.fixture
def trace(writer: Writer, make_frame: MakeFrame, chart: Chart) -> Iterator[Trace]:
    writer.chart(chart)
    writer.frame(make_frame(0, width=2))
    writer.frame(make_frame(1, "full", ("act_mean", "grad_norm"), lr=0.5))
    writer.frame(make_frame(2, loss=math.inf))
    for step in range(3):
        writer.pulse(step, step / 2, step != 1, step == 2)
    writer.epoch(Epoch(0, 1, {"val_loss": 0.5}))
    writer.epoch(Epoch(1, 2, {"val_loss": 0.25, "val_acc": 0.75}))
    writer.event(Event(2, "nan", "born", {"where": ["a"]}))
    writer.flush()
    with Trace.open(writer.path) as trace:
        yield trace


@pytest.mark.parametrize("suffix", [".parquet", ".arrow", ".feather"])
def test_frames_become_a_table(trace: Trace, tmp_path: Path, chart: Chart, suffix: str) -> None:
    pytest.importorskip("pyarrow")
    written = export(trace, tmp_path / f"out{suffix}")
    names = [f"out{part}{suffix}" for part in ("", ".pulse", ".epochs", ".events")]
    assert [path.name for path in written] == names
    table = _read(written[0])
    columns = table.to_pydict()
    assert list(columns)[:2] == ["step", "level"]
    assert columns["step"] == [0, 1, 2]
    assert columns["level"] == ["vitals", "full", "vitals"]
    assert columns["loss"] == [0.0, 1 / 7, math.inf]
    np.testing.assert_array_equal(columns["lr"], [math.nan, 0.5, math.nan])
    np.testing.assert_array_equal(
        columns["layer_grad_norm"], [[0, 1, math.nan], [2, 4, 6], [2, 3, 4]]
    )
    np.testing.assert_array_equal(columns["layer_act_mean"][0], [math.nan] * 3)
    assert str(table.schema.field("layer_act_mean").type).startswith("fixed_size_list")
    metadata = json.loads(table.schema.metadata[b"paramedic.chart"])
    assert Chart.from_json(metadata) == chart


def test_the_rest_goes_to_its_siblings(trace: Trace, tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    _, pulse, epochs, events = export(trace, str(tmp_path / "run.v2.parquet"))
    assert pulse.name == "run.v2.pulse.parquet"
    assert _read(pulse).to_pydict() == {
        "step": [0, 1, 2],
        "loss": [0.0, 0.5, 1.0],
        "finite": [True, False, True],
        "skipped": [False, False, True],
    }
    assert _read(epochs).to_pydict() == {
        "epoch": [0, 1, 1],
        "step": [1, 2, 2],
        "name": ["val_loss", "val_loss", "val_acc"],
        "value": [0.5, 0.25, 0.75],
    }
    assert _read(events).to_pylist() == [
        {"step": 2, "kind": "nan", "message": "born", "data": '{"where": ["a"]}'}
    ]


@pytest.mark.parametrize("suffix", [".parquet", ".arrow"])
def test_an_empty_trace_is_an_empty_table(writer: Writer, tmp_path: Path, suffix: str) -> None:
    pytest.importorskip("pyarrow")
    with Trace.open(writer.path) as trace:
        (path,) = export(trace, tmp_path / f"out{suffix}")
    assert _read(path).num_rows == 0


def test_a_network_without_layers(writer: Writer, tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    writer.frame(Frame(0, "full", {"loss": 1.0}, {"a": np.zeros(0, np.float32)}))
    writer.flush()
    with Trace.open(writer.path) as trace:
        (path,) = export(trace, tmp_path / "out.parquet")
    assert _read(path).to_pydict() == {
        "step": [0],
        "level": ["full"],
        "loss": [1.0],
        "layer_a": [[]],
    }


def test_it_is_written_in_batches(
    writer: Writer, make_frame: MakeFrame, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    monkeypatch.setattr(MODULE, "_MOST_ROWS", 10)
    for step in range(35):
        writer.frame(make_frame(step))
    writer.flush()
    with Trace.open(writer.path) as trace:
        (path,) = export(trace, tmp_path / "out.arrow")
    assert pyarrow.ipc.open_file(path).num_record_batches == 4
    assert _read(path)["step"].to_pylist() == list(range(35))


def test_wide_frames_make_small_batches(
    writer: Writer, make_frame: MakeFrame, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    monkeypatch.setattr(MODULE, "MOST_CELLS", 12)
    for step in range(4):
        writer.frame(make_frame(step))
    writer.flush()
    with Trace.open(writer.path) as trace:
        (path,) = export(trace, tmp_path / "out.arrow")
    assert pyarrow.ipc.open_file(path).num_record_batches == 2


@pytest.mark.parametrize("name", ["out.csv", "out", "out.PARQUET.gz"])
def test_an_unknown_suffix_lists_the_known_ones(trace: Trace, tmp_path: Path, name: str) -> None:
    with pytest.raises(ValueError, match=r"`.parquet`, `.arrow`, `.feather`"):
        export(trace, tmp_path / name)


def test_without_pyarrow_it_says_what_to_install(
    trace: Trace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(ImportError, match=r"install paramedic\[arrow\]"):
        export(trace, tmp_path / "out.parquet")


def test_a_name_that_is_taken_by_another_column(writer: Writer, tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    writer.frame(Frame(0, "full", {"level": 1.0}, {}))
    writer.flush()
    with Trace.open(writer.path) as trace, pytest.raises(TraceError, match=r"two columns.*`level`"):
        export(trace, tmp_path / "out.parquet")


def test_a_damaged_trace_leaves_no_half_table(
    writer: Writer, make_frame: MakeFrame, tmp_path: Path
) -> None:
    pytest.importorskip("pyarrow")
    for step in range(2000):
        writer.frame(make_frame(step))
    writer.flush()
    with sqlite3.connect(writer.path) as db:
        db.execute("UPDATE frames SET crc = 0 WHERE step = 1500")
    db.close()
    with Trace.open(writer.path) as trace, pytest.raises(TraceError, match="checksum"):
        export(trace, tmp_path / "out.parquet")
    assert not [path for path in tmp_path.iterdir() if path.name.startswith("out")]
