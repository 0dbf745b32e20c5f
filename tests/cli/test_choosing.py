from __future__ import annotations

import json
from pathlib import Path

import pytest

from paramedic.cli.choosing import split, write_json


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
