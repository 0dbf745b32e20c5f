"""Building the wheel and using what was installed from it, without the network."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent
_FILES = ("pyproject.toml", "hatch_build.py", "README.md", "LICENSE", ".gitignore")
_FOLDERS = ("src", "examples")
_JUNK = shutil.ignore_patterns("__pycache__", "*.egg-info", "*.so", "*.dll")


def sources(folder: Path) -> Path:
    """A copy of what a wheel is made of: the compiler writes beside the source."""
    folder.mkdir()
    for name in _FILES:
        shutil.copy(ROOT / name, folder)
    for name in _FOLDERS:
        shutil.copytree(ROOT / name, folder / name, ignore=_JUNK)
    return folder


def build(folder: Path, to: Path, environment: Mapping[str, str] | None = None) -> Path:
    """The wheel of these sources."""
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(to)],
        cwd=folder, env={**os.environ, **(environment or {})}, check=True, capture_output=True,
        timeout=120,
    )  # fmt: skip
    (wheel,) = to.glob("*.whl")
    return wheel


@dataclass(frozen=True, slots=True)
class Installed:
    """An installed Paramedic; `run` is a shell in a folder of the user's."""

    home: Path
    environment: Mapping[str, str]

    def run(self, command: str, folder: Path) -> subprocess.CompletedProcess[str]:
        """What a user types."""
        return subprocess.run(
            ["bash", "-c", command], cwd=folder, env=dict(self.environment), capture_output=True,
            text=True, timeout=300, check=False,
        )  # fmt: skip


def installed(wheel: Path, home: Path, line: str) -> Installed:
    """What `line`, the command of the README, installs from a folder with this wheel alone.

    Its requirements are those of the environment of the tests: nothing is downloaded.
    """
    bare = {key: value for key, value in os.environ.items() if not key.startswith("PIP_")}
    offline = {
        "PIP_TARGET": str(home), "PIP_NO_INDEX": "1", "PIP_NO_DEPS": "1",
        "PIP_FIND_LINKS": str(wheel.parent), "PIP_CONFIG_FILE": os.devnull,
        "PIP_DISABLE_PIP_VERSION_CHECK": "1",
    }  # fmt: skip
    path = os.pathsep.join([str(home / "bin"), str(Path(sys.executable).parent), bare["PATH"]])
    environment = {**bare, **offline, "PATH": path, "PYTHONPATH": str(home), "PYTHONSAFEPATH": "1"}
    done = Installed(home, environment).run(line, home.parent)
    assert done.returncode == 0, done.stderr
    return Installed(home, {**environment, "PARAMEDIC_HOME": str(home.parent / "state")})


@dataclass(frozen=True, slots=True)
class Block:
    """A fenced block of a page; `file` is the name under which the reader is to save it."""

    language: str
    text: str
    file: str = ""

    @property
    def commands(self) -> list[str]:
        """What is typed into a shell, without what is said of it."""
        if self.language:
            return []
        lines = [re.sub(r"\s{2,}#.*", "", line) for line in self.text.splitlines()]
        return [line for line in lines if line.startswith(("paramedic ", "pip "))]


def blocks(page: Path) -> list[Block]:
    """The blocks of a page, in order."""
    text = page.read_text(encoding="utf-8")
    fences = re.finditer(r"^```(\w*)\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    return [Block(*fence.groups(), file=_named(text[: fence.start()])) for fence in fences]


def _named(before: str) -> str:
    """The file that the paragraph before a block names: "Save this as `train.py`"."""
    named = re.search(r"Save this as `([^`]+)`", before.rstrip().rpartition("\n\n")[2])
    return named[1] if named else ""
