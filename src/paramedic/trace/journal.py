"""The log for reading offline: one JSON object per line, each written as it happens."""

from __future__ import annotations

import json
import logging
import math
import os
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TextIO

from paramedic.trace.paths import fresh_path

_log = logging.getLogger("paramedic")

SIZE_LIMIT = 16 * 2**20


class Journal:
    """Appends lines to a file of its own, and never stands in the way of the training.

    A line has `time`, `kind` and `step`, and what belongs to its kind. Numbers that JSON does not
    know are written as "nan", "inf" and "-inf". Beyond `size_limit` bytes only the line of the end
    is still written, after one that says so. When the disk fails, that is told once.
    """

    def __init__(self, path: str | os.PathLike[str], *, size_limit: int = SIZE_LIMIT) -> None:
        inside = Path(path) / "run.jsonl" if Path(path).is_dir() else Path(path)
        self.path = fresh_path(inside).absolute()
        self.failure: str | None = None
        self._left = size_limit
        self._full = False
        self._pid = os.getpid()
        self._file: TextIO | None = None
        try:
            self._file = self.path.open("a", encoding="utf-8", buffering=1)
        except OSError as error:
            self._fail(error)

    def write(self, kind: str, step: int, data: Mapping[str, Any], *, last: bool = False) -> None:
        """One line; `last` for what must be there even if the log is full."""
        stamp = datetime.now(UTC).isoformat(timespec="milliseconds")
        line = {"time": stamp, "kind": kind, "step": step, **data}
        text = json.dumps(_strict(line), default=str, ensure_ascii=False)
        self._left -= len(text) + 1
        if self._left >= 0 or last:
            self._append(text)
        elif not self._full:
            self._full = True
            self._append(json.dumps({"time": stamp, "kind": "full", "step": step}))

    def close(self) -> None:
        """Close the file; later lines are dropped."""
        file, self._file = self._file, None
        if file is not None and os.getpid() == self._pid:
            file.close()

    def _append(self, text: str) -> None:
        if self._file is None or os.getpid() != self._pid:  # a worker of a data loader
            return
        try:
            self._file.write(text + "\n")
        except (OSError, ValueError) as error:
            self._fail(error)

    def _fail(self, error: Exception) -> None:
        self._file = None
        self.failure = f"The log `{self.path}` is not written any further: {error}."
        _log.warning(self.failure)


def _strict(value: Any) -> Any:
    """The same with numbers that strict JSON can hold."""
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    if isinstance(value, Mapping):
        return {str(key): _strict(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [_strict(one) for one in value]
    return value
