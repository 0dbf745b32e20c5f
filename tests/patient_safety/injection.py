"""Makes one function of Paramedic raise, once, in the process of a program.

`begin` is called by the program when it starts. What the variable `PATIENT_INJECT` names raises at
the entry of its first call; with `?`, it is written down instead what could be named: functions
that are called by what the program (or torch, Python, a library) calls of ours, by a frame of ours
that is below the program, or by the guard that isolates parts.
"""

from __future__ import annotations

import atexit
import json
import os
import sys
import threading
from importlib.util import find_spec
from types import CodeType, FrameType
from typing import Any

NAME = "PATIENT_INJECT"  # `file:function` in the package, or `?`
_US = os.path.dirname(find_spec("paramedic").origin) + os.sep
_GUARD = (
    "probe/guard.py:Guard.attempt",
    "probe/guard.py:aside.<locals>.decorate.<locals>.isolated",
)
# They hand on what the program calls, isolate what they call, or end the program with its code,
# and do nothing else.
_SHELL = (
    *_GUARD,
    "probe/guard.py:harmless.<locals>.decorate.<locals>.survived",
    "probe/backward.py:_observed_by_all",
    "probe/backward.py:_tell",
    "trace/store.py:_each_scribe",
    "run/running.py:_attempted",
    "run/namesakes.py:_import.<locals>.is_for_us",
    "probe/watchpoint.py:Watchpoint.call",
    "run/termination.py:_Handler._seen",
    "run/program.py:_exit_code",
    "run/program.py:Ending.interrupted",
    "cli/run.py:_leave",
    "cli/failing.py:is_clear",
)
_found: dict[str, None] = {}
_below: set[FrameType] = set()


class Injected(RuntimeError):
    """No error that anybody has thought of."""


def begin() -> None:
    """From now on, in this thread and in those that are started."""
    wanted = os.environ.get(NAME)
    if wanted is None:
        return
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        _below.add(frame)
        frame = frame.f_back
    if wanted == "?":
        atexit.register(_write)
    notice = _note if wanted == "?" else _raising(wanted)
    threading.setprofile(notice)
    sys.setprofile(notice)


def _raising(wanted: str) -> Any:
    left = [1]

    def notice(frame: FrameType, event: str, argument: Any) -> None:
        if event == "call" and left and _name(frame.f_code) == wanted and _is_point(frame):
            left.clear()
            if _is_first():
                raise Injected(f"in {wanted}")

    return notice


def _is_first() -> bool:
    """Of this process and its forks."""
    try:
        os.mkdir(os.path.join(os.environ["PATIENT_STATE"], "raised"))
    except FileExistsError:
        return False
    return True


def _note(frame: FrameType, event: str, argument: Any) -> None:
    if event == "call":
        name = _name(frame.f_code)
        if name is not None and name not in _found and _is_point(frame):
            _found[name] = None


def _is_point(frame: FrameType) -> bool:
    """Whether whoever calls it is called from outside, is below the program, or is the guard."""
    caller = frame.f_back
    if caller is None or _name(caller.f_code) is None or _name(frame.f_code) in _SHELL:
        return False
    if caller in _below or _name(caller.f_code) in _SHELL:
        return True
    return caller.f_back is None or _name(caller.f_back.f_code) is None


def _name(code: CodeType) -> str | None:
    """How a function of ours is named; None for others, and for what runs as ours is imported."""
    if not code.co_filename.startswith(_US) or code.co_name == "<module>":
        return None
    return f"{code.co_filename.removeprefix(_US)}:{code.co_qualname}"


def _write() -> None:
    if os.environ.get("PATIENT_PROCESS") == str(os.getpid()):
        sys.setprofile(None)
        path = os.path.join(os.environ["PATIENT_STATE"], "points.json")
        with open(path, "w", encoding="utf-8") as file:
            json.dump(list(_found), file)
