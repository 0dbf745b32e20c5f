from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

from paramedic.cli.main import app

run = CliRunner().invoke


# An empty file is no bad trace: it is a run that was killed at once.
@pytest.mark.parametrize("content", [None, b"SQLite format 3\0", b"not a database" * 100])
def test_a_bad_trace_is_one_clear_sentence(tmp_path: Path, content: bytes | None) -> None:
    path = tmp_path / "missing.db"
    if content is not None:
        path.write_bytes(content)
    result = run(app, ["export", str(path), str(tmp_path / "x.parquet")])
    assert result.exit_code == 2
    assert "missing.db" in result.output
    assert "Traceback" not in result.output
