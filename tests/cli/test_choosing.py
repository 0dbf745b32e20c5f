from __future__ import annotations

import json
from pathlib import Path

import pytest

from paramedic.cli.choosing import check_file, check_json, split, write_json


def test_names_are_split_at_commas() -> None:
    assert split(None) == ()
    assert split(["A, B", "", "C,"]) == ("A", "B", "C")


def test_json_is_strict(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    value = {"a": [float("nan"), -float("inf"), 1.5, "Θ"], "b": (None, True)}
    assert write_json(value, "-") is True
    shown = json.loads(capsys.readouterr().out)
    assert shown == {"a": ["NaN", "-Infinity", 1.5, "Θ"], "b": [None, True]}
    assert write_json(value, str(tmp_path / "x.json")) is False
    assert json.loads((tmp_path / "x.json").read_text(encoding="utf-8")) == shown


def test_a_file_that_cannot_be_written_is_found_before(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="is a directory: name a report"):
        check_file(tmp_path, "a report")
    with pytest.raises(ValueError, match="There is no directory"):
        check_file(tmp_path / "nowhere" / "x.json", "a report")
    assert not (tmp_path / "nowhere").exists()


def test_a_file_is_where_it_was_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert check_json("report.json") == str(tmp_path / "report.json")
    assert (check_json("-"), check_json(None)) == ("-", None)
