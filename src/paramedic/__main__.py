"""`python -m paramedic` is the command `paramedic`, where that is not on the path."""

from __future__ import annotations

import os
import sys

if __name__ == "__main__" and not sys.flags.safe_path:
    # As for the command itself: a file of this folder must not stand in for a module of Python.
    sys.path[0] = os.path.dirname(sys.executable)

from paramedic.cli.main import app

if __name__ == "__main__":
    app(prog_name="paramedic")
