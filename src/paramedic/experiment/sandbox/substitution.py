"""Other texts for some source files, for the import system and whoever opens them to read.

Where no overlay can hold a changed file, the file stays as it is and Python is shown another one
in its place; `__file__`, `sys.path` and the paths beside it are the real ones. This file is also
loaded by itself: it imports nothing of ours.
"""

from __future__ import annotations

import _io
import builtins
import io
import os
import tokenize
from collections.abc import Callable, Mapping
from importlib.machinery import SourceFileLoader
from typing import Any


def install(files: Mapping[str, str]) -> None:
    """Show each of these files with what is in another one."""
    shown = {os.path.realpath(path): other for path, other in files.items()}

    def instead(path: Any) -> Any:
        if isinstance(path, int):
            return path
        return shown.get(os.path.realpath(os.fsdecode(path)), path)

    opened = _reading(builtins.open, instead)
    for module, name in ((builtins, "open"), (io, "open"), (_io, "open")):
        setattr(module, name, opened)
    tokenize._builtin_open = opened  # type: ignore[attr-defined]
    code = io.open_code
    for module in (io, _io):
        setattr(module, "open_code", lambda path: code(instead(path)))  # noqa: B010
    _without_cache(shown)


def _reading(original: Callable[..., Any], instead: Callable[[Any], Any]) -> Callable[..., Any]:
    def open(file: Any, mode: str = "r", *arguments: Any, **named: Any) -> Any:
        read = not set(mode) & set("wax+")
        return original(instead(file) if read else file, mode, *arguments, **named)

    return open


def _without_cache(shown: Mapping[str, str]) -> None:
    """What is compiled already is the real file."""
    stats = SourceFileLoader.path_stats

    def path_stats(self: SourceFileLoader, path: str) -> Mapping[str, Any]:
        if os.path.realpath(path) in shown:
            raise OSError("another text is shown")
        return stats(self, path)

    SourceFileLoader.path_stats = path_stats  # type: ignore[method-assign]
