"""The exceptions of this package."""

from __future__ import annotations

import os


class TraceError(Exception):
    """A trace cannot be read or exported: the message names the file and what is wrong with it.

    `path` is the file, `problem` the rest of the sentence.
    """

    def __init__(self, path: str | os.PathLike[str], problem: str) -> None:
        super().__init__(os.fspath(path), problem)
        self.path = os.fspath(path)
        self.problem = problem

    def __str__(self) -> str:
        return f"`{self.path}` {self.problem}"


class ForeignDatabase(TraceError):
    """The file is a SQLite database of another program."""
