"""The drivers, and which half each belongs to."""

from __future__ import annotations

import ast
import hashlib
from dataclasses import dataclass
from pathlib import Path

DRIVERS = Path(__file__).parent / "drivers"
LOOKED_AT, COUNTED = "looked at", "counted"
_SHARED = {"support", "__init__"}
# Counted at first; looked at since the counting of 2026-11-18, which showed what was wrong there.
_MOVED = {
    "neuralforecast_lstm", "pyro_autoguide", "pyro_vae", "sentence_transformers_ranking",
    "transformers_masked_lm",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Case:
    """One run of a driver: as its library would have it, or with its mistake."""

    name: str
    mistake: bool

    @property
    def half(self) -> str:
        """Drawn by a hash of the driver's name, before anything was run; who is looked at later
        does not come back."""
        if self.name in _MOVED:
            return LOOKED_AT
        first = hashlib.sha256(self.name.encode()).digest()[0]
        return COUNTED if first % 2 else LOOKED_AT

    @property
    def file(self) -> Path:
        """The driver."""
        return DRIVERS / f"{self.name}.py"

    @property
    def key(self) -> str:
        """What its files are called."""
        return f"{self.name}{'--mistake' if self.mistake else ''}"


def cases(half: str | None = None) -> list[Case]:
    """All runs, those of one driver side by side."""
    found: list[Case] = []
    for path in sorted(DRIVERS.glob("*.py")):
        if path.stem in _SHARED:
            continue
        found.append(Case(path.stem, mistake=False))
        if "Mistake:" in about(path):
            found.append(Case(path.stem, mistake=True))
    return [case for case in found if half in (None, case.half)]


def about(path: Path) -> str:
    """The docstring of a driver."""
    return ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""


def first_line(case: Case) -> str:
    """What is trained."""
    return about(case.file).splitlines()[0]


def mistake_of(case: Case) -> str:
    """What is done wrong in its sick run; empty if it has none."""
    return about(case.file).partition("Mistake:")[2].strip()
