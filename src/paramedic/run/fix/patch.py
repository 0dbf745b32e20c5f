"""One change to one file of the user's (or to the command line), for one remedy."""

from __future__ import annotations

import difflib
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from paramedic.types import Remedy


@dataclass(frozen=True, slots=True)
class Patch:
    """What a remedy comes to in the source.

    `arguments` is the other command line that a value calls for when it was given there; then the
    text stays.
    """

    remedy: Remedy
    file: Path
    before: str
    after: str
    arguments: tuple[str, ...] | None = None

    def diff(self) -> str:
        """As `diff -u` shows it; empty if only the command line changes."""
        name = os.path.relpath(self.file)
        lines = difflib.unified_diff(
            self.before.splitlines(keepends=True),
            self.after.splitlines(keepends=True),
            f"a/{name}",
            f"b/{name}",
        )
        return "".join(line if line.endswith("\n") else f"{line}\n" for line in lines)

    def command(self) -> Sequence[str]:
        """The arguments to give instead."""
        return self.arguments or ()
