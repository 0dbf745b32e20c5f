"""A temporary copy of what a program works with, so that trying a patch leaves no trace."""

from __future__ import annotations

import os
import re
import shutil
from itertools import islice
from pathlib import Path

_SKIPPED = {".git", "__pycache__", ".venv", "venv", "node_modules", ".mypy_cache", ".pytest_cache"}
_LARGE = 20 * 2**20  # bytes: a larger file is linked, not copied
_MOST = 500 * 2**20  # bytes that are copied
_MOST_FILES = 5000
_MANY = 500  # entries of one folder
_WRITES = re.compile(
    r"torch\.save|\.save\(|savefig|to_csv|SummaryWriter|makedirs|mkdir\(|"
    r"""open\([^)]*["'][wax]b?\+?["']"""
)
_TALKS = re.compile(r"\brequests\.|urlopen|wandb|mlflow|push_to_hub|download=True|load_dataset\(")


class TooLarge(Exception):
    """A folder holds more than can be copied for a try."""

    def __init__(self, folder: Path) -> None:
        super().__init__(
            f"the folder `{folder}` is too large to copy: start the program from a smaller one"
        )


class Scratch:
    """The working directory of a program and the folder of its script, copied into `root`."""

    def __init__(self, root: Path, script: Path, working: Path) -> None:
        self._copies: list[tuple[Path, Path]] = []
        script_folder = script.resolve().parent
        for place, folder in enumerate(_outermost([working.resolve(), script_folder])):
            copy = root / f"copy{place}"
            _copy(folder, copy, root)
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


def _copy(folder: Path, copy: Path, root: Path) -> None:
    """All files of a folder; large ones, and folders of very many, are links to the originals."""
    copied = number = 0
    copy.mkdir(parents=True, exist_ok=True)
    waiting = [(folder, copy)]
    while waiting:
        here, there = waiting.pop(0)
        for path in _entries(here, root):
            target = there / path.name
            if path.is_dir() and not path.is_symlink() and not _is_data(path):
                target.mkdir()
                waiting.append((path, target))
                continue
            number += 1
            size = 0 if path.is_dir() else path.stat().st_size
            if number > _MOST_FILES or copied > _MOST:
                raise TooLarge(folder)
            if path.is_dir() or size > _LARGE:
                target.symlink_to(path)
            else:
                shutil.copy2(path, target)
                copied += size


def _entries(folder: Path, root: Path) -> list[Path]:
    """What is in a folder and of use to a program; never the copy itself."""
    return [
        path
        for path in sorted(folder.iterdir())
        if path.name not in _SKIPPED and path != root and (path.is_dir() or path.is_file())
    ]


def _is_data(folder: Path) -> bool:
    """Whether a folder holds so many files that they must be data."""
    with os.scandir(folder) as entries:
        return sum(1 for _ in islice(entries, _MANY)) >= _MANY
