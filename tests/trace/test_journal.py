"""The log of JSON lines."""

from __future__ import annotations

import json
import logging
import math
import os
from pathlib import Path
from typing import Any

import pytest

from paramedic.trace import Journal


def _lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line, parse_constant=pytest.fail) for line in path.read_text().splitlines()]


def test_each_line_is_there_at_once_and_strict_json(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "run.jsonl")
    journal.write("finding", 3, {"slug": "é", "norm": math.inf, "deep": [{"loss": math.nan}]})
    (line,) = _lines(tmp_path / "run.jsonl")
    assert line["time"].endswith("+00:00")
    del line["time"]
    assert line == {
        "kind": "finding", "step": 3, "slug": "é", "norm": "inf", "deep": [{"loss": "nan"}],
    }  # fmt: skip
    journal.write("other", 4, {"path": tmp_path})
    assert _lines(tmp_path / "run.jsonl")[1]["path"] == str(tmp_path)
    journal.close()
    journal.write("late", 5, {})
    journal.close()
    assert len(_lines(tmp_path / "run.jsonl")) == 2


def test_nothing_is_overwritten_and_a_directory_will_do(tmp_path: Path) -> None:
    first, second = Journal(tmp_path), Journal(tmp_path / "run.jsonl")
    assert [first.path.name, second.path.name] == ["run.jsonl", "run-2.jsonl"]
    first.close()
    second.close()


def test_it_is_bounded_but_the_end_is_told(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "run.jsonl", size_limit=500)
    for step in range(100):
        journal.write("finding", step, {"text": "x" * 50})
    journal.write("end", 100, {"text": "over"}, last=True)
    journal.close()
    lines = _lines(tmp_path / "run.jsonl")
    assert [line["kind"] for line in lines[-2:]] == ["full", "end"]
    assert sum(line["kind"] == "full" for line in lines) == 1
    assert (tmp_path / "run.jsonl").stat().st_size < 800


def test_a_disk_that_fails_is_told_once(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("")
    with caplog.at_level(logging.WARNING, "paramedic"):
        journal = Journal(blocked / "run.jsonl")
        journal.write("finding", 0, {})
        journal.close()
    assert journal.failure is not None
    assert len(caplog.records) == 1


class Full:
    """A file on a disk that has no room."""

    def write(self, text: str) -> int:
        raise OSError(28, "No space left on device")


def test_a_full_disk_does_not_raise(caplog: pytest.LogCaptureFixture, tmp_path: Path) -> None:
    journal = Journal(tmp_path / "run.jsonl")
    assert journal._file is not None
    journal._file.close()
    journal._file = Full()  # type: ignore[assignment]
    with caplog.at_level(logging.WARNING, "paramedic"):
        journal.write("finding", 0, {})
        journal.write("finding", 1, {})
    assert "No space left" in str(journal.failure)
    assert len(caplog.records) == 1


def test_a_forked_worker_writes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    journal = Journal(tmp_path / "run.jsonl")
    mine = os.getpid()
    monkeypatch.setattr(os, "getpid", lambda: mine + 1)
    journal.write("finding", 0, {})
    monkeypatch.undo()
    journal.write("finding", 1, {})
    journal.close()
    assert [line["step"] for line in _lines(tmp_path / "run.jsonl")] == [1]
