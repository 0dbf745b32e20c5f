"""`python -m paramedic` is the command `paramedic`, where that is not on the path."""

from __future__ import annotations

from paramedic.cli.main import app

if __name__ == "__main__":
    app(prog_name="paramedic")
