from __future__ import annotations

from typer.testing import CliRunner

from paramedic.cli.main import app
from paramedic.version import __version__

run = CliRunner().invoke


def test_help_and_version() -> None:
    assert "demo" in run(app, ["--help"]).output
    assert run(app, ["--version"]).output.strip() == f"paramedic {__version__}"
    assert "demo" in run(app, []).output
