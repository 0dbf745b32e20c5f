"""A trace from a stranger: wrong rows with right checksums, random damage, truncation.

Whatever the file holds, reading it gives a `TraceError` or data that was written.
"""

from __future__ import annotations

import json
import random
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from paramedic.trace import Trace, TraceError, Writer
from paramedic.trace.schema import OBJECTS, checksum
from paramedic.types import Chart, Epoch, Event, Frame

MakeFrame = Callable[..., Frame]
SameFrame = Callable[[Frame, Frame], bool]


def _read_everything(path: Path) -> tuple[list[Frame], Any]:
    with Trace.open(path) as trace:
        trace.window()
        trace.window(20, size=4)
        _ = (len(trace), trace.steps, trace.last_step, trace.meta("note"), trace.layouts)
        return list(trace.frames()), (trace.chart, trace.pulse(), trace.epochs, trace.events)


@pytest.fixture
def recorded(writer: Writer, make_frame: MakeFrame, chart: Chart) -> Path:
    writer.chart(chart)
    writer.meta("note", [1])
    for step in range(60):
        writer.frame(make_frame(step, "full" if step % 9 == 0 else "vitals", width=20))
        writer.pulse(step, 1.0, True, False)
    writer.epoch(Epoch(0, 59, {"val_loss": 1.0}))
    writer.event(Event(3, "k", "m"))
    writer.close()
    return writer.path


class _Damage:
    """Reads damaged copies, and checks that what comes back was written."""

    def __init__(self, path: Path, same_frame: SameFrame) -> None:
        self.path = path.with_name("damaged.db")
        self.content = path.read_bytes()
        frames, (self.chart, _, self.epochs, self.events) = _read_everything(path)
        self.frames = {frame.step: frame for frame in frames}
        self.same_frame = same_frame

    def is_noticed(self, content: bytes) -> bool:
        self.path.write_bytes(content)
        try:
            frames, (chart, pulse, epochs, events) = _read_everything(self.path)
        except TraceError:
            return True
        assert all(self.same_frame(frame, self.frames[frame.step]) for frame in frames)
        assert chart in (self.chart, Chart())
        assert set(pulse.loss.tolist()) <= {1.0}
        assert set(map(repr, epochs)) <= set(map(repr, self.epochs))
        assert set(map(repr, events)) <= set(map(repr, self.events))
        return False


@pytest.fixture
def damage(recorded: Path, same_frame: SameFrame) -> _Damage:
    return _Damage(recorded, same_frame)


def test_the_original_is_fine(damage: _Damage) -> None:
    assert not damage.is_noticed(damage.content)


def test_random_bytes(damage: _Damage) -> None:
    source = random.Random(0)
    header = damage.content[:100]
    for size in (1, 15, 16, 17, 99, 100, 101, 511, 512, 4096, 10_000):
        assert damage.is_noticed(source.randbytes(size))
        assert damage.is_noticed(header + source.randbytes(size))


def test_truncated_copies(damage: _Damage) -> None:
    size = len(damage.content)
    lengths = {*range(1, 130), *range(130, size, 997), *range(4096, size, 4096), size - 1}
    noticed = [damage.is_noticed(damage.content[:length]) for length in sorted(lengths)]
    assert all(noticed)


def test_flipped_bytes(damage: _Damage) -> None:
    source = random.Random(1)
    places = [*range(100), *(source.randrange(100, len(damage.content)) for _ in range(500))]
    noticed = 0
    for place in places:
        content = bytearray(damage.content)
        content[place] ^= source.randrange(1, 256)
        noticed += damage.is_noticed(bytes(content))
    assert noticed > 50  # most of the file is in use, though not all of it


def test_overwritten_stretches(damage: _Damage) -> None:
    source = random.Random(2)
    for _ in range(80):
        content = bytearray(damage.content)
        start, size = source.randrange(len(content)), source.choice([2, 16, 300, 4096])
        content[start : start + size] = source.choice([bytes(size), source.randbytes(size)])
        damage.is_noticed(bytes(content[: len(damage.content)]))


def test_flipped_bytes_in_the_log(
    tmp_path: Path, make_frame: MakeFrame, same_frame: SameFrame, run_python: Callable[..., str]
) -> None:
    script = """
import os, sys
from paramedic.trace import Writer
from paramedic.types import Frame
writer = Writer(sys.argv[1], batch=2)
for step in range(40):
    writer.frame(Frame(step, "full", {"loss": float(step)}, {}))
writer.flush()
os._exit(0)
"""
    run_python(script, tmp_path / "run.db")
    main, log = (tmp_path / "run.db").read_bytes(), (tmp_path / "run.db-wal").read_bytes()
    source = random.Random(3)
    for number in range(60):
        path = tmp_path / f"{number}.db"
        content = bytearray(log)
        content[source.randrange(len(log))] ^= 255
        path.write_bytes(main)
        Path(f"{path}-wal").write_bytes(content)
        try:
            frames, _ = _read_everything(path)
        except TraceError:
            continue
        assert [frame.scalars["loss"] for frame in frames] == [frame.step for frame in frames]


# Rows that are wrong although their checksums are right.


def _forge(path: Path, statement: str, *values: object) -> None:
    db = sqlite3.connect(path)
    db.execute(statement, values)
    db.commit()
    db.close()


def _forge_layout(path: Path, data: Any) -> None:
    text = data if isinstance(data, str) else json.dumps(data)
    _forge(path, "UPDATE layouts SET data = ?, crc = ?", text, checksum(text))


@pytest.mark.parametrize(
    "data",
    [
        {"scalars": ["loss"], "layers": ["a"], "width": -1},
        {"scalars": ["loss"], "layers": ["a"], "width": 10**7},
        {"scalars": ["loss"], "layers": ["a"], "width": 10**30},
        {"scalars": ["loss"], "layers": ["a"], "width": 3},
        {"scalars": ["loss"], "layers": ["a"], "width": True},
        {"scalars": ["loss"], "layers": ["a"], "width": 1.0},
        {"scalars": ["loss"], "layers": ["a"]},
        {"scalars": ["loss"], "layers": "abc", "width": 1},
        {"scalars": [1], "layers": [], "width": 1},
        {"scalars": ["loss", "loss"], "layers": [], "width": 1},
        [],
        "{",
        "[" * 100_000,
    ],
    ids=repr,
)
def test_absurd_layouts(recorded: Path, data: Any) -> None:
    _forge_layout(recorded, data)
    with Trace.open(recorded) as trace, pytest.raises(TraceError, match="is damaged: row 1"):
        list(trace.frames())


def _forge_frame(path: Path, step: Any, level: Any, layout: Any, data: Any) -> None:
    crc = checksum(data, step, level, layout) if isinstance(data, bytes | str) else 0
    statement = "INSERT INTO frames(step, level, layout, crc, data) VALUES (?, ?, ?, ?, ?)"
    _forge(path, statement, step, level, layout, crc, data)


@pytest.mark.parametrize(
    ("step", "level", "layout", "data"),
    [
        (99, "full", 1, b""),
        (99, "full", 1, b"\0" * 175),
        (99, "full", 1, b"\0" * 177),
        (99, "full", 1, "\0" * 176),
        (99, "full", 1, 5),
        (99, "full", 77, b"\0" * 176),
        (99, "full", "1; --", b"\0" * 176),
        (99, b"full", 1, b"\0" * 176),
        ("99", "full", 1, b"\0" * 176),
        (99.5, "full", 1, b"\0" * 176),
    ],
)
def test_absurd_frames(recorded: Path, step: Any, level: Any, layout: Any, data: Any) -> None:
    _forge_frame(recorded, step, level, layout, data)
    with Trace.open(recorded) as trace:
        for read in (lambda: list(trace.frames()), trace.window):
            with pytest.raises(TraceError, match="is damaged"):
                read()


def test_steps_that_are_no_numbers(recorded: Path) -> None:
    _forge_frame(recorded, "soon", "full", 1, b"")
    with Trace.open(recorded) as trace:
        with pytest.raises(TraceError, match="'soon' is not a step"):
            _ = trace.steps
        with pytest.raises(TraceError, match="'soon' is not a step"):
            _ = trace.last_step


@pytest.mark.parametrize("data", [b"", b"\0" * 16, b"\0" * 18, "text", None])
def test_absurd_pulses(recorded: Path, data: Any) -> None:
    crc = checksum(data, 0, 0) if data is not None else 0
    statement = "INSERT OR IGNORE INTO pulses VALUES (50, 0, 0, ?, ?)"
    _forge(recorded, statement, crc, 0 if data is None else data)
    with Trace.open(recorded) as trace, pytest.raises(TraceError, match="row 50 of `pulses`"):
        trace.pulse()


@pytest.mark.parametrize("text", ["", "{", "[]", "null", '{"step": "x"}', '{"step": 1}', 5, b"{}"])
@pytest.mark.parametrize("table", ["epochs", "events"])
def test_absurd_records(recorded: Path, table: str, text: Any) -> None:
    crc = checksum(text, 1) if not isinstance(text, int) else 0
    _forge(recorded, f"INSERT INTO {table}(id, step, crc, data) VALUES (9, 1, ?, ?)", crc, text)
    with Trace.open(recorded) as trace, pytest.raises(TraceError, match=f"row 9 of `{table}`"):
        _ = getattr(trace, table)


@pytest.mark.parametrize("text", ["{", "[]", '{"layers": 5}', '{"layers": [{}]}', '{"task": 1}'])
def test_an_absurd_chart(recorded: Path, text: str) -> None:
    statement = "UPDATE meta SET data = ?, crc = ? WHERE key = 'chart'"
    _forge(recorded, statement, text, checksum(text, "chart"))
    with Trace.open(recorded) as trace, pytest.raises(TraceError, match="chart is invalid"):
        _ = trace.chart


def test_text_that_is_no_text(recorded: Path) -> None:
    _forge(recorded, "UPDATE meta SET data = CAST(x'ff00ff' AS TEXT)")
    with Trace.open(recorded) as trace, pytest.raises(TraceError, match="UTF-8"):
        trace.meta("note")


def test_a_changed_number_is_noticed(recorded: Path) -> None:
    _forge(recorded, "UPDATE frames SET step = 7000 WHERE step = 7")
    with Trace.open(recorded) as trace, pytest.raises(TraceError, match="checksum"):
        list(trace.frames())


def test_an_index_that_leads_backwards(recorded: Path) -> None:
    for statement in (
        "DROP INDEX frames_step",
        "CREATE INDEX frames_step ON frames(step DESC)",
    ):
        _forge(recorded, statement)
    db = sqlite3.connect(recorded)
    db.execute("PRAGMA writable_schema = ON")
    db.execute(
        "UPDATE sqlite_master SET sql = ? WHERE name = 'frames_step'", [OBJECTS["frames_step"]]
    )
    db.commit()
    db.close()
    with Trace.open(recorded) as trace, pytest.raises(TraceError, match="out of order"):
        list(trace.frames())


def test_small_frames_that_would_need_terabytes_together(
    writer: Writer, make_frame: MakeFrame
) -> None:
    writer.frame(make_frame(0, width=100_000, names=("a",)))
    writer.frame(make_frame(1, width=1, names=tuple(f"s{index}" for index in range(100_000))))
    writer.flush()
    with Trace.open(writer.path) as trace, pytest.raises(TraceError, match="too large"):
        trace.window()
