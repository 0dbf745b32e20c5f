"""How a program ended in the sandbox, and what it wanted there that it could not have."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from paramedic.experiment.sandbox.limits import Limits
from paramedic.experiment.sandbox.possible import How

_READ_ONLY, _FOREIGN, _FULL = (30, 69), (75,), (27, 28, 122)  # EROFS, EOVERFLOW, ENOSPC
_ERRNO = re.compile(r"\[Errno (\d+)\] [^\n:]*(?:: (['\"])(.+?)\2)?")
_NO_NETWORK = re.compile(
    r"Network is unreachable|name resolution|Name or service not known|nodename nor servname|"
    r"Could not resolve host|No address associated with hostname"
)
# EXDEV and EIO: moving a folder that was there before; before Linux 6.6, making one again.
_NO_FOLDERS = re.compile(r"\[Errno (18|5)\]")


@dataclass(frozen=True, slots=True)
class Ended:
    """`code` is its exit code, `output` and `errors` the end of what it said, `files` what it left
    in its private folder, of what was asked for.

    `refused` is what the sandbox did not let it have, as the end of a sentence that begins with
    "not tried:"; None if it ended well, or for another reason. `limit` says which limit it was
    ended for.
    """

    code: int
    output: str = ""
    errors: str = ""
    seconds: float = 0.0
    refused: str | None = None
    limit: str = ""
    how: How | None = None
    files: Mapping[str, bytes] = field(default_factory=dict)
    written: str | None = None  # the path, if it is one that was refused

    @property
    def well(self) -> bool:
        """Whether it came to its end by itself."""
        return not self.code and not self.limit


def limit_told(kind: str, limits: Limits) -> str:
    """Which limit was exceeded, in words."""
    size = {"memory": limits.memory, "disk": limits.disk}.get(kind)
    if kind == "time":
        return f"it did not end within {limits.seconds:.0f} s"
    if kind == "processes":
        return f"it started more than {limits.processes} processes"
    if kind in ("memory", "disk"):
        return f"it needed more than {_megabytes(size)} of {kind}"
    return "it was ended from outside" if kind else ""


def refused(notes: Sequence[str], errors: str, limits: Limits) -> tuple[str, str | None] | None:
    """What a program that failed could not have, by the guard's notes and its last words; and the
    path, if it wanted to write there."""
    for verb, _, what in (note.partition(" ") for note in notes):
        if verb == "cannot":
            return what, None
        if verb == "write":
            return f"it wanted to write `{what}`", what
    for note in notes:
        return f"it wanted to {note}", None
    for number, _, path in _ERRNO.findall(errors)[::-1]:
        if int(number) in (*_READ_ONLY, *_FOREIGN) and path:
            return f"it wanted to write `{path}`", path
        if int(number) in _FULL:
            return f"it wanted more than {_megabytes(limits.disk)} of disk", None
    if _NO_FOLDERS.search(errors):
        return "it wanted to move or remake a folder, which cannot be done in the sandbox", None
    if _NO_NETWORK.search(errors):
        return "it wanted to use the network", None
    return None


def _megabytes(size: int | None) -> str:
    return "the share" if size is None else f"{size / 2**20:.0f} MB"
