"""One run, read as it grows."""

from __future__ import annotations

import os
import shutil
import time
from pathlib import Path

import pytest

from paramedic.report.live import following as module
from paramedic.report.live.following import Following
from paramedic.report.live.runs import Runs
from paramedic.trace import Trace, Writer
from tests.report.live.traces import append, chart, note, recorded


def follow(path: Path) -> Following:
    return Following(Runs([path]).scan()[0])


@pytest.fixture
def grown(tmp_path: Path) -> tuple[Writer, Following]:
    writer = Writer(tmp_path / "run.db")
    writer.chart(chart())
    append(writer, 0, 50)
    return writer, follow(tmp_path / "run.db")


def steps(following: Following) -> list[int]:
    assert following.course is not None
    return [int(step) for step in following.course.pulse.step]


def test_only_what_is_new_is_read(
    grown: tuple[Writer, Following], monkeypatch: pytest.MonkeyPatch
) -> None:
    writer, following = grown
    assert following.refresh()
    starts: list[object] = []
    blobs = Trace.blobs

    def noticed(self: Trace, start: int | None = None) -> object:
        starts.append(start)
        return blobs(self, start)

    monkeypatch.setattr(Trace, "blobs", noticed)
    append(writer, 50, 70)
    assert following.is_due()
    assert following.refresh()
    assert starts == [46]
    assert steps(following) == list(range(70))


def test_without_change_nothing_is_read(
    grown: tuple[Writer, Following], monkeypatch: pytest.MonkeyPatch
) -> None:
    _, following = grown
    following.refresh()
    monkeypatch.setattr(module, "read", lambda *_: pytest.fail("it was read"))
    version = following.version
    assert not following.is_due()
    assert not following.refresh()
    assert following.version == version


def test_it_is_equal_to_what_is_read_at_once(grown: tuple[Writer, Following]) -> None:
    writer, following = grown
    for start in range(50, 200, 7):
        append(writer, start, start + 7)
        following.refresh()
    whole = follow(following.place.path)
    whole.refresh()
    assert following.course is not None
    assert whole.course is not None
    assert steps(following) == steps(whole)
    table, other = (one.course.layers["grad_norm"] for one in (following, whole))  # type: ignore[union-attr]
    assert (table == other).all()


def test_the_trace_is_closed_between_two_looks(grown: tuple[Writer, Following]) -> None:
    writer, following = grown
    following.refresh()
    note(writer, ended=True)
    writer.close()
    assert not Path(f"{following.place.path}-wal").exists(), "a reader kept the writer from it"
    assert following.refresh()
    assert following.state == "ended"


def test_a_silent_run_is_told_without_a_change_of_the_file(
    grown: tuple[Writer, Following], monkeypatch: pytest.MonkeyPatch
) -> None:
    _, following = grown
    following.refresh()
    assert following.state == "running"
    later = time.time() + 120
    monkeypatch.setattr(module.time, "time", lambda: later)
    monkeypatch.setattr(module, "_CHECKS", -1.0)
    assert following.is_due()
    assert following.refresh()
    assert following.state == "silent"


def test_an_empty_file_waits(tmp_path: Path) -> None:
    (tmp_path / "run.db").touch()
    following = follow(tmp_path / "run.db")
    following.refresh()
    assert (following.state, following.course, following.weight) == ("empty", None, 0)


def test_a_damaged_trace_is_told_and_tried_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = recorded(tmp_path / "run.db")
    following = follow(path)
    whole = path.read_bytes()
    path.write_bytes(whole[:3000])
    following.refresh()
    assert following.state == "damaged"
    assert "is damaged" in following.words or "cannot be read" in following.words
    monkeypatch.setattr(module, "_AGAIN", -1.0)
    assert following.is_due()
    path.write_bytes(whole)
    following.refresh()
    assert (following.state, following.problem) == ("ended", "")


def test_what_was_read_of_a_deleted_trace_stays(tmp_path: Path) -> None:
    path = recorded(tmp_path / "run.db")
    following = follow(path)
    following.refresh()
    path.unlink()
    assert following.refresh()
    assert following.state == "gone"
    assert len(steps(following)) == 100
    assert not following.refresh()


def test_another_file_in_its_place_is_another_run(tmp_path: Path) -> None:
    path = recorded(tmp_path / "run.db")
    following = follow(path)
    following.refresh()
    shutil.move(recorded(tmp_path / "new.db", 30), path)
    following.refresh()
    assert steps(following) == list(range(30))
    assert following.weight > 0


def test_a_file_that_may_not_be_read_is_told(tmp_path: Path) -> None:
    if os.geteuid() == 0:
        pytest.skip("root may read everything")
    path = recorded(tmp_path / "run.db")
    path.chmod(0)
    following = follow(path)
    following.refresh()
    assert following.state == "damaged"
