from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

from paramedic.cli.main import app
from paramedic.trace import Trace
from paramedic.version import __version__

run = CliRunner().invoke


def test_help_and_version() -> None:
    assert "demo" in run(app, ["--help"]).output
    assert run(app, ["--version"]).output.strip() == f"paramedic {__version__}"
    assert "demo" in run(app, []).output


def test_demo_watches_a_sick_run_and_says_what_it_saw(tmp_path: Path) -> None:
    result = run(app, ["demo", "--out", str(tmp_path)])
    assert result.exit_code == 0, result.output
    assert "300 optimizer steps" in result.output
    assert "samples 17" in result.output
    with Trace.open(tmp_path / "run.db") as trace:
        assert trace.last_step == 299
    again = run(app, ["demo", "--out", str(tmp_path)])
    assert "run-2.db" in again.output.replace("\n", "")


def test_export(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    run(app, ["demo", "--out", str(tmp_path)])
    result = run(app, ["export", str(tmp_path / "run.db"), str(tmp_path / "run.parquet")])
    assert result.exit_code == 0, result.output
    assert (tmp_path / "run.parquet").stat().st_size > 1000


@pytest.mark.parametrize(
    ("content", "words"),
    [(None, "missing.db"), (b"", "missing.db"), (b"not a database" * 100, "missing.db")],
)
def test_a_bad_trace_is_one_clear_sentence(
    tmp_path: Path, content: bytes | None, words: str
) -> None:
    path = tmp_path / "missing.db"
    if content is not None:
        path.write_bytes(content)
    result = run(app, ["export", str(path), str(tmp_path / "x.parquet")])
    assert result.exit_code == 2
    assert words in result.output
    assert "Traceback" not in result.output
