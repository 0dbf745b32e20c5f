"""A copy of a project that can be written to, where no overlay is to be had."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path

_SKIPPED = {".git", "__pycache__", ".venv", "venv", "node_modules", ".mypy_cache", ".pytest_cache"}
MOST_BYTES = 500 * 2**20
MOST_FILES = 5000


class TooLarge(Exception):
    """A project holds more than is copied for a try."""


class Copies:
    """Folders and their copies; never a link, so that nothing leads back to the originals."""

    def __init__(self, folders: Iterable[Path], into: Path) -> None:
        self._places: dict[Path, Path] = {}
        self._bytes = self._files = 0
        for number, folder in enumerate(outermost([one.resolve() for one in folders])):
            copy = into / f"copy{number}"
            self._places[folder] = copy
            self._copy(folder, copy, frozenset({into.resolve(), folder}))

    def of(self, path: str) -> str:
        """Where the copy of a file or folder is; the path itself if it was not copied."""
        with suppress(OSError, ValueError):
            real = Path(path).resolve()
            for folder, copy in self._places.items():
                if os.path.isabs(path) and real.is_relative_to(folder):
                    return str(copy / real.relative_to(folder))
        return path

    def environment(self, given: Mapping[str, str]) -> dict[str, str]:
        """With the copies on the way to modules."""
        paths = given.get("PYTHONPATH", "").split(os.pathsep)
        return {**given, "PYTHONPATH": os.pathsep.join(self.of(one) for one in paths)}

    def _copy(self, folder: Path, copy: Path, above: frozenset[Path]) -> None:
        copy.mkdir()
        for path in sorted(folder.iterdir()):
            if path.name in _SKIPPED:
                continue
            target = copy / path.name
            if path.is_dir():
                real = path.resolve()
                if real not in above and not any(one.is_relative_to(real) for one in above):
                    self._copy(path, target, above | {real})
            elif path.is_file():
                self._count(path)
                shutil.copy2(path, target)

    def _count(self, path: Path) -> None:
        self._files += 1
        self._bytes += path.stat().st_size
        if self._files > MOST_FILES:
            raise TooLarge(f"the project has more than {MOST_FILES} files")
        if self._bytes > MOST_BYTES:
            raise TooLarge(f"the project has more than {MOST_BYTES >> 20} MB")


def outermost(folders: Iterable[Path]) -> list[Path]:
    """Without folders that are inside another one."""
    distinct = list(dict.fromkeys(folders))
    return [
        one
        for one in distinct
        if not any(one != two and one.is_relative_to(two) for two in distinct)
    ]
