"""Results of single runs, kept in a folder: what was interrupted goes on where it stopped.

A result belongs to the code it was measured with: after a change it is measured anew. Runs that
we do not watch depend on the benchmark and on `inject` alone.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent.parent
TRAINING = (
    "benchmarks/doctor_parts/texts.py", "benchmarks/doctor_parts/patients.py",
    "benchmarks/overhead_parts/gpt.py", "src/paramedic/inject/**/*.py",
)  # fmt: skip
WATCHING = (
    "benchmarks/doctor_parts/training.py", "benchmarks/doctor_parts/measuring.py",
    "src/paramedic/**/*.py", "src/paramedic/**/*.json", "src/paramedic/**/*.c",
)  # fmt: skip


class Cache:
    """A folder of results, one file each."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        folder.mkdir(parents=True, exist_ok=True)

    def get(
        self, task: dict[str, Any], measure: Callable[[], dict[str, Any]], *, watched: bool = True
    ) -> dict[str, Any]:
        """The result of a task, measured if it is not known."""
        file = self._file(task, watched=watched)
        if not file.exists():
            result = measure()
            begun = file.with_suffix(".part")  # an interrupted write must not pass for a result
            begun.write_text(json.dumps({"task": task, "result": result}))
            begun.rename(file)
        known: dict[str, Any] = json.loads(file.read_text())
        found: dict[str, Any] = known["result"]
        return found

    def knows(self, task: dict[str, Any], *, watched: bool = True) -> bool:
        """Whether it was measured."""
        return self._file(task, watched=watched).exists()

    def _file(self, task: dict[str, Any], *, watched: bool) -> Path:
        sources = (*TRAINING, *WATCHING) if watched else TRAINING
        words = json.dumps([fingerprint(sources), task], sort_keys=True)
        return self._folder / f"{hashlib.sha256(words.encode()).hexdigest()[:20]}.json"


@cache
def fingerprint(patterns: tuple[str, ...]) -> str:
    """One word for the code that a result depends on."""
    digest = hashlib.sha256()
    for file in sorted({file for pattern in patterns for file in ROOT.glob(pattern)}):
        digest.update(file.read_bytes())
    return digest.hexdigest()
