from __future__ import annotations

from pathlib import Path

import pytest

from tests.install.support import ROOT, Installed, blocks, build, installed, sources


@pytest.fixture(scope="session")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel of these sources."""
    folder = tmp_path_factory.mktemp("wheel")
    return build(sources(folder / "sources"), folder / "dist")


@pytest.fixture(scope="session")
def paramedic(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Installed:
    """What the README's line installs."""
    shown = [line for block in blocks(ROOT / "README.md") for line in block.commands]
    (line,) = (line for line in shown if line.startswith("pip install"))
    return installed(wheel, tmp_path_factory.mktemp("installed") / "home", line)
