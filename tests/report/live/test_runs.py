"""Which files may be read, and which may not."""

from __future__ import annotations

import os
import re
import time
from pathlib import Path

import pytest

from paramedic.report.live.runs import MOST_RUNS, Runs


def touch(path: Path, when: float) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"x")
    os.utime(path, (when, when))
    return path


def names(runs: Runs) -> list[str]:
    return [place.name for place in runs.scan()]


def test_newest_first_and_only_traces(tmp_path: Path) -> None:
    touch(tmp_path / "old.db", 100)
    touch(tmp_path / "new.db", 300)
    touch(tmp_path / "trials" / "7" / "middle.db", 200)
    touch(tmp_path / "notes.txt", 400)
    touch(tmp_path / ".hidden" / "x.db", 400)
    touch(tmp_path / "old.db-wal.txt", 400)
    expected = ["new.db", str(Path("trials") / "7" / "middle.db"), "old.db"]
    assert names(Runs([tmp_path])) == expected


def test_what_is_in_the_log_counts_as_news(tmp_path: Path) -> None:
    touch(tmp_path / "a.db", 100)
    touch(tmp_path / "b.db", 200)
    touch(tmp_path / "a.db-wal", 300)
    assert names(Runs([tmp_path])) == ["a.db", "b.db"]


def test_runs_that_go_on_keep_their_order(tmp_path: Path) -> None:
    now = time.time()
    touch(tmp_path / "ended.db", now - 500)
    touch(tmp_path / "a.db", now - 2)
    touch(tmp_path / "b.db", now - 1)
    runs = Runs([tmp_path])
    assert names(runs) == ["b.db", "a.db", "ended.db"]
    touch(tmp_path / "a.db", now)
    assert names(runs) == ["b.db", "a.db", "ended.db"]
    touch(tmp_path / "c.db", now - 3)
    assert names(runs) == ["c.db", "b.db", "a.db", "ended.db"]


def test_runs_that_begin_later_are_found_and_those_that_go_are_not(tmp_path: Path) -> None:
    runs = Runs([tmp_path])
    assert runs.scan() == []
    first = touch(tmp_path / "a.db", 100)
    (place,) = runs.scan()
    assert runs.get(place.id) == place
    first.unlink()
    assert runs.scan() == []
    assert runs.get(place.id) is None


def test_a_trace_may_be_named_before_it_is_there(tmp_path: Path) -> None:
    runs = Runs([tmp_path / "run.db"])
    assert runs.scan() == []
    assert runs.only() is None
    touch(tmp_path / "run.db", 100)
    touch(tmp_path / "other.db", 100)
    assert names(runs) == ["run.db"]
    only = runs.only()
    assert only is not None
    assert only.name == "run.db"


def test_a_folder_has_no_only_run(tmp_path: Path) -> None:
    touch(tmp_path / "run.db", 100)
    assert Runs([tmp_path]).only() is None


def test_identifiers_are_opaque_and_stay(tmp_path: Path) -> None:
    touch(tmp_path / "secret-name.db", 100)
    (place,) = Runs([tmp_path]).scan()
    assert re.fullmatch("[0-9a-f]{20}", place.id)
    assert Runs([tmp_path]).scan()[0].id == place.id


@pytest.mark.parametrize(
    "asked", ["", ".", "..", "../x.db", "/etc/passwd", "x.db", "%2e%2e", "\0", "a" * 10_000]
)
def test_paths_are_no_identifiers(tmp_path: Path, asked: str) -> None:
    touch(tmp_path / "x.db", 100)
    runs = Runs([tmp_path])
    runs.scan()
    assert runs.get(asked) is None


def test_links_lead_nowhere_else(tmp_path: Path) -> None:
    outside = touch(tmp_path / "outside" / "private.db", 100)
    inside = tmp_path / "inside"
    real = touch(inside / "real.db", 100)
    (inside / "link.db").symlink_to(real)
    (inside / "escape.db").symlink_to(outside)
    (inside / "folder").symlink_to(outside.parent)
    (inside / "circle.db").symlink_to(inside / "circle.db")
    (inside / "nowhere.db").symlink_to(inside / "missing.db")
    assert sorted(names(Runs([inside]))) == ["link.db", "real.db"]


def test_a_file_that_becomes_a_link_to_the_outside_is_not_read(tmp_path: Path) -> None:
    outside = touch(tmp_path / "outside.db", 100)
    run = touch(tmp_path / "inside" / "run.db", 100)
    runs = Runs([run.parent])
    (place,) = runs.scan()
    run.unlink()
    run.symlink_to(outside)
    assert runs.get(place.id) is None


def test_a_given_link_is_followed(tmp_path: Path) -> None:
    run = touch(tmp_path / "real" / "run.db", 100)
    (tmp_path / "link").symlink_to(run.parent)
    runs = Runs([tmp_path / "link"])
    (place,) = runs.scan()
    assert runs.get(place.id) == place


def test_hostile_names_become_text(tmp_path: Path) -> None:
    touch(tmp_path / "<script>alert(1)<", 100).rename(tmp_path / "<script>alert(1).db")
    os.close(os.open(os.fsencode(tmp_path) + b"/\xff\xfe.db", os.O_CREAT))
    found = sorted(names(Runs([tmp_path])))
    assert found == ["<script>alert(1).db", "\ufffd\ufffd.db"]
    assert all(name.encode() for name in found)


def test_what_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match=r"There is no directory `.*runs`: create it"):
        Runs([tmp_path / "runs"])
    with pytest.raises(FileNotFoundError, match=r"run.db` cannot come .* no directory `.*missing`"):
        Runs([tmp_path / "missing" / "run.db"])
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(ValueError, match="neither a file nor a directory"):
        Runs([tmp_path / "pipe"])


def test_the_number_of_runs_is_bounded(tmp_path: Path) -> None:
    for number in range(MOST_RUNS + 3):
        os.close(os.open(tmp_path / f"{number}.db", os.O_CREAT))
    assert len(Runs([tmp_path]).scan()) == MOST_RUNS
