from __future__ import annotations

import os
import sqlite3
from pathlib import Path

import pytest
from click.testing import Result
from typer.testing import CliRunner

from paramedic.cli.main import app
from tests.report.made import trace as recorded


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def report(*words: object) -> Result:
    return CliRunner().invoke(app, ["report", *map(str, words)])


def test_a_page_is_written(tmp_path: Path) -> None:
    result = report(recorded(tmp_path / "run.db"), "-o", "page.html")
    assert result.exit_code == 0, result.output
    size = Path("page.html").stat().st_size
    assert result.output == f"Wrote page.html ({size / 1000:.0f} kB)\n"
    text = Path("page.html").read_text(encoding="utf-8")
    assert text.startswith("<!doctype html>")
    assert "run.db" in text


def test_without_a_name_it_is_report_html(tmp_path: Path) -> None:
    assert report(recorded(tmp_path / "run.db")).exit_code == 0
    assert Path("report.html").is_file()


def test_what_cannot_be_read_is_told_and_the_rest_is_shown(tmp_path: Path) -> None:
    good, cut = recorded(tmp_path / "good.db"), recorded(tmp_path / "cut.db", steps=3000)
    os.truncate(cut, cut.stat().st_size // 3)
    sqlite3.connect("foreign.db").execute("CREATE TABLE a(b)").connection.close()
    newer = recorded(tmp_path / "newer.db")
    with sqlite3.connect(newer) as db:
        db.execute("PRAGMA user_version = 99")
    db.close()
    result = report(good, cut, "foreign.db", "newer.db", "missing.db", "-o", "page.html")
    assert result.exit_code == 2
    lines = [line for line in result.output.splitlines() if line.startswith("paramedic: ")]
    assert len(lines) == 4
    assert "cut.db" in lines[0]
    assert "not a trace of Paramedic" in lines[1]
    assert "newer Paramedic" in lines[2]
    assert "No such file" in lines[3]
    assert "Traceback" not in result.output
    text = Path("page.html").read_text(encoding="utf-8")
    assert "newer Paramedic" in text
    assert "good.db" in text


def test_nothing_readable_writes_nothing() -> None:
    result = report("missing.db", "-o", "page.html")
    assert result.exit_code == 2
    assert not Path("page.html").exists()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["run.db", "-o", "nowhere/page.html"], "There is no directory `nowhere`"),
        (["run.db", "-o", "."], "is a directory: name a file"),
        (["run.db", "--rules", "defalt"], "did you mean `default`"),
        (["run.db", "--select", "Z9"], "Z9"),
        (["."], "no trace (*.db), heal or study in the directory"),
    ],
)
def test_mistakes_are_one_clear_line(words: list[str], message: str) -> None:
    result = report(*words)
    assert result.exit_code == 2
    assert message in result.output
    assert len(result.output.strip().splitlines()) == 1
