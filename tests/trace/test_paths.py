from __future__ import annotations

import os
import re
import signal
import sqlite3
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from paramedic.trace import Trace, Writer, fresh_path, newest_path


def test_the_name_is_kept_while_it_is_free(tmp_path: Path) -> None:
    assert fresh_path(tmp_path / "run.db") == tmp_path / "run.db"


def test_a_taken_name_gets_a_number(tmp_path: Path) -> None:
    (tmp_path / "run.db").write_text("precious")
    assert fresh_path(str(tmp_path / "run.db")) == tmp_path / "run-2.db"
    assert fresh_path(tmp_path / "run.db") == tmp_path / "run-3.db"
    assert (tmp_path / "run.db").read_text() == "precious"


def test_parents_are_created(tmp_path: Path) -> None:
    path = fresh_path(tmp_path / "a" / "b" / "run.db")
    assert path.parent.is_dir()


def test_a_directory_gives_a_file_named_by_the_time(tmp_path: Path) -> None:
    first, second = fresh_path(tmp_path), fresh_path(tmp_path)
    assert first.parent == second.parent == tmp_path
    assert re.fullmatch(r"\d{8}-\d{6}\.db", first.name)
    assert first != second


def test_a_name_that_ends_in_a_slash_is_a_directory(tmp_path: Path) -> None:
    path = fresh_path(f"{tmp_path}/runs/")
    assert path.parent == tmp_path / "runs"
    assert path.suffix == ".db"


def test_nobody_gets_the_same_path(tmp_path: Path) -> None:
    with ThreadPoolExecutor(8) as pool:
        paths = list(pool.map(fresh_path, [tmp_path / "run.db"] * 40))
    assert len(set(paths)) == 40


def test_an_impossible_place_is_left_to_the_writer(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    assert fresh_path(tmp_path / "file" / "run.db") == tmp_path / "file" / "run.db"


def _record(path: Path, steps: int) -> None:
    writer = Writer(path)
    for step in range(steps):
        writer.pulse(step, 1.0, True, False)
    writer.close()


def _steps(path: Path) -> int:
    with Trace.open(path) as trace:
        return len(trace.pulse().step)


def test_the_newest_run_has_the_name(tmp_path: Path) -> None:
    path = tmp_path / "run.db"
    for steps in (1, 2, 3):
        assert newest_path(path) == path
        _record(path, steps)
        os.utime(path, (1.8e9 + steps, 1.8e9 + steps))
    assert _steps(path) == 3
    kept = sorted(tmp_path.glob("run-*.db"))
    assert [one.name for one in kept] == ["run-20270115-080001.db", "run-20270115-080002.db"]
    assert [_steps(one) for one in kept] == [1, 2]
    assert kept[0].stat().st_mtime == 1.8e9 + 1
    assert len(list(tmp_path.iterdir())) == 3


def test_runs_of_the_same_second_are_all_kept(tmp_path: Path) -> None:
    path = tmp_path / "run.db"
    for steps in (1, 2, 3):
        _record(newest_path(path), steps)
        os.utime(path, (1.8e9, 1.8e9))
    assert sorted(_steps(one) for one in tmp_path.glob("run-*.db")) == [1, 2]


def test_a_run_that_goes_on_keeps_its_name(tmp_path: Path) -> None:
    writer = Writer(newest_path(tmp_path / "run.db"))
    assert newest_path(tmp_path / "run.db") == tmp_path / "run-2.db"
    writer.pulse(0, 1.0, True, False)
    writer.flush()
    assert newest_path(tmp_path / "run.db") == tmp_path / "run-3.db"
    writer.close()
    assert writer.failure is None
    assert _steps(tmp_path / "run.db") == 1


def test_a_name_that_was_just_claimed_is_in_use(tmp_path: Path) -> None:
    assert newest_path(tmp_path / "run.db") == tmp_path / "run.db"
    assert newest_path(tmp_path / "run.db") == tmp_path / "run-2.db"


def test_nothing_of_a_killed_run_is_lost(tmp_path: Path) -> None:
    """Its newest rows are in the log beside the file."""
    path = tmp_path / "run.db"
    code = f"""
import os, signal
from paramedic.trace import Writer
writer = Writer({str(path)!r})
for step in range(9):
    writer.pulse(step, 1.0, True, False)
writer.flush()
os.kill(os.getpid(), signal.SIGKILL)
"""
    done = subprocess.run([sys.executable, "-c", code], timeout=60, check=False)
    assert done.returncode == -signal.SIGKILL
    assert Path(f"{path}-wal").stat().st_size
    assert newest_path(path) == path
    (kept,) = tmp_path.glob("run-*.db")
    assert _steps(kept) == 9
    assert sorted(one.name for one in tmp_path.iterdir()) == sorted([kept.name, "run.db"])


def test_somebody_who_reads_goes_on_reading(tmp_path: Path) -> None:
    _record(tmp_path / "run.db", 4)
    with Trace.open(tmp_path / "run.db") as trace:
        assert newest_path(tmp_path / "run.db") == tmp_path / "run.db"
        assert len(trace.pulse().step) == 4


@pytest.mark.parametrize("kind", ["text", "database"])
def test_what_is_no_trace_is_left_alone(
    kind: str, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path = tmp_path / "run.db"
    if kind == "text":
        path.write_text("precious")
    else:
        with sqlite3.connect(path) as db:
            db.execute("CREATE TABLE precious(x)")
        db.close()
    before = path.read_bytes()
    assert newest_path(path) == tmp_path / "run-2.db"
    assert path.read_bytes() == before
    assert "run-2.db" in caplog.text


def test_many_at_once_lose_nothing(tmp_path: Path) -> None:
    path = tmp_path / "run.db"
    _record(path, 7)
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda steps: _record(newest_path(path), steps), range(10, 30)))
    assert sorted(_steps(one) for one in tmp_path.glob("*.db")) == [7, *range(10, 30)]
