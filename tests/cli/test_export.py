from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

from paramedic.cli.main import app
from paramedic.trace import Writer
from paramedic.types import Chart

run = CliRunner().invoke


def test_export(tmp_path: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    writer = Writer(tmp_path / "run.db")
    writer.chart(Chart())
    for step in range(30):
        writer.pulse(step, 1.0 / (step + 1), True, False)
    writer.close()
    result = run(app, ["export", str(tmp_path / "run.db"), str(tmp_path / "run.parquet")])
    assert result.exit_code == 0, result.output
    assert parquet.read_table(tmp_path / "run.pulse.parquet").num_rows == 30


def test_an_unknown_format_is_refused(tmp_path: Path) -> None:
    Writer(tmp_path / "run.db").close()
    result = run(app, ["export", str(tmp_path / "run.db"), str(tmp_path / "run.xlsx")])
    assert result.exit_code == 2
    assert ".parquet" in result.output
