"""A temporary copy of what a program works with, so that trying a patch leaves no trace."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterator
from pathlib import Path

_SKIPPED = {".git", "__pycache__", ".venv", "venv", "node_modules", ".mypy_cache", ".pytest_cache"}
_LARGE = 20 * 2**20  # bytes: a larger file is linked, not copied
_MOST = 500 * 2**20  # bytes that are copied
_MOST_FILES = 5000
_WRITES = re.compile(
    r"torch\.save|\.save\(|savefig|to_csv|SummaryWriter|makedirs|mkdir\(|"
    r"""open\([^)]*["'][wax]b?\+?["']"""
)
_TALKS = re.compile(r"\brequests\.|urlopen|wandb|mlflow|push_to_hub|download=True|load_dataset\(")


class Scratch:
    """The working directory of a program and the folder of its script, copied into `root`."""

    def __init__(self, root: Path, script: Path, working: Path) -> None:
        self._copies: list[tuple[Path, Path]] = []
        script_folder = script.resolve().parent
        for place, folder in enumerate(_outermost([working.resolve(), script_folder])):
            copy = root / f"copy{place}"
            _copy(folder, copy)
            self._copies.append((folder, copy))
        self.working = self.of(working.resolve())
        self.script = self.of(script.resolve())

    def of(self, path: Path) -> Path:
        """Where the copy of a file is."""
        for folder, copy in self._copies:
            if path.is_relative_to(folder):
                return copy / path.relative_to(folder)
        return path

    def has(self, path: Path) -> bool:
        """Whether a file was copied: only then it can be patched here."""
        return self.of(path) != path and self.of(path).is_file()


def warnings_for(text: str) -> list[str]:
    """What a program seems to do that concerns others than itself."""
    found = []
    if _WRITES.search(text):
        found.append("It writes files: it is tried in a copy of its folder.")
    if _TALKS.search(text):
        found.append("It talks to the network: each try does so again.")
    return found


def _outermost(folders: list[Path]) -> list[Path]:
    """Without folders that are inside another one."""
    distinct = list(dict.fromkeys(folders))
    return [
        one
        for one in distinct
        if not any(one != two and one.is_relative_to(two) for two in distinct)
    ]


def _copy(folder: Path, copy: Path) -> None:
    copied = 0
    for number, (path, target) in enumerate(_files(folder, copy)):
        target.parent.mkdir(parents=True, exist_ok=True)
        size = path.stat().st_size
        if size > _LARGE or copied + size > _MOST or number > _MOST_FILES:
            target.symlink_to(path)
        else:
            shutil.copy2(path, target)
            copied += size


def _files(folder: Path, copy: Path) -> Iterator[tuple[Path, Path]]:
    copy.mkdir(parents=True, exist_ok=True)
    for here, folders, files in os.walk(folder):
        folders[:] = [one for one in folders if one not in _SKIPPED]
        inside = Path(here).relative_to(folder)
        (copy / inside).mkdir(parents=True, exist_ok=True)
        for name in files:
            path = Path(here) / name
            if path.is_file():
                yield path, copy / inside / name
