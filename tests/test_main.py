from __future__ import annotations

import subprocess
import sys

from paramedic.version import __version__


def test_the_package_can_be_run() -> None:
    command = [sys.executable, "-m", "paramedic", "--version"]
    shown = subprocess.run(command, check=True, capture_output=True, text=True, timeout=60)
    assert shown.stdout.strip() == f"paramedic {__version__}"
