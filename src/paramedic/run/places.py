"""Places in the user's own source: who called, when somebody else's code is in between."""

from __future__ import annotations

import inspect
import os
import sys
import sysconfig
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from sys import getrefcount
from types import CodeType, FrameType
from typing import Any

_PATHS = sysconfig.get_paths()
_LIBRARIES = tuple(
    os.path.realpath(_PATHS[name]) + os.sep
    for name in ("stdlib", "platstdlib", "purelib", "platlib")
)
_OURSELVES = os.path.dirname(os.path.dirname(os.path.realpath(__file__))) + os.sep
_INSTALLED = (f"{os.sep}site-packages{os.sep}", f"{os.sep}dist-packages{os.sep}")
_OURS = 3  # references to the variables of a frame: its own, ours, and that of who counts them


@dataclass(frozen=True, slots=True)
class Place:
    """A line of a file, and the function it is in."""

    file: str
    line: int
    function: str = ""

    def __str__(self) -> str:
        return (
            f"{os.path.relpath(self.file) if os.path.exists(self.file) else self.file}:{self.line}"
        )

    def to_json(self) -> dict[str, Any]:
        """Plain values."""
        return {"file": self.file, "line": self.line}


def caller(*, constructed: object = None) -> Place | None:
    """The innermost line of the user's that led here; None if there is none.

    With `constructed`, an object that is being made: lines of its own `__init__` do not count.
    """
    for frame in _frames(sys._getframe(1)):
        if constructed is None or not _is_making(frame, constructed):
            return Place(os.path.realpath(frame.f_code.co_filename), frame.f_lineno, _name(frame))
    return None


def calling_frame() -> FrameType | None:
    """The frame of `caller`."""
    return next(_frames(sys._getframe(1)), None)


def locals_of(frame: FrameType) -> dict[str, Any]:
    """The variables of a function that is running, at this moment.

    Before Python 3.13 a frame that is asked keeps the answer, and so what the function deletes
    after that: it is emptied again, unless the program itself has asked for it.
    """
    kept, code = frame.f_locals, frame.f_code
    found = dict(kept)
    if code.co_flags & inspect.CO_OPTIMIZED and type(kept) is dict and getrefcount(kept) <= _OURS:
        for name in (*code.co_varnames, *code.co_cellvars, *code.co_freevars):
            kept.pop(name, None)
    return found


def _frames(frame: FrameType | None) -> Iterator[FrameType]:
    while frame is not None:
        if _is_theirs(frame.f_code.co_filename):
            yield frame
        frame = frame.f_back


def _name(frame: FrameType) -> str:
    return frame.f_code.co_name


def _is_making(frame: FrameType, made: object) -> bool:
    code: CodeType = frame.f_code
    if code.co_name != "__init__" or not code.co_argcount:
        return False
    return locals_of(frame).get(code.co_varnames[0]) is made


@cache
def _is_theirs(file: str) -> bool:
    """Whether a file is the user's: not of an installed package, of Python or of ours."""
    if file.startswith("<"):
        return False
    real = os.path.realpath(file)
    if real.startswith(_OURSELVES) or any(part in real for part in _INSTALLED):
        return False
    return not real.startswith(_LIBRARIES)
