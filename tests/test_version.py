from __future__ import annotations

import tomllib
from pathlib import Path

from paramedic.version import __version__


def test_the_version_is_that_of_the_project() -> None:
    project = Path(__file__).parent.parent / "pyproject.toml"
    assert __version__ == tomllib.loads(project.read_text())["project"]["version"]
