"""What this machine has to keep a program in the sandbox, the strongest first."""

from __future__ import annotations

import os
import sys
from enum import StrEnum
from functools import cache

FORCED = "PARAMEDIC_SANDBOX"  # names the one to take
_TINY = 2**20


class How(StrEnum):
    """What keeps a program in the sandbox: a private view of the machine, the kernel with the
    guard of Python, or the guard alone."""

    NAMESPACES = "namespaces"
    LANDLOCK = "landlock"
    GUARD = "guard"


def best() -> How:
    """The strongest there is, or the one that is named in the environment."""
    forced = os.environ.get(FORCED)
    if forced:
        return How(forced)
    if not why_no_namespaces():
        return How.NAMESPACES
    return How.LANDLOCK if _has_landlock() else How.GUARD


@cache
def why_no_namespaces() -> str:
    """Why there are none; empty if they can be had, which is tried once. To be called where there
    is a single thread, as it forks."""
    if sys.platform != "linux":
        return "only Linux has namespaces"
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.write(writer, _tried().encode())
        finally:  # whatever happens, there must not be a second program
            os._exit(0)
    os.close(writer)
    with os.fdopen(reader, encoding="utf-8") as told:
        why = told.read()
    os.waitpid(child, 0)
    return "" if why == "yes" else why or "the attempt ended without a word"


def _has_landlock() -> bool:
    if sys.platform != "linux":
        return False
    from paramedic.experiment.sandbox import confinement, linux

    return linux.landlock_version() > 0 and confinement.knows_machine()


def _tried() -> str:
    from paramedic.experiment.sandbox import namespaces

    try:
        namespaces.enter(_TINY, ())
        first = os.fork()
        if first == 0:
            try:
                os._exit(_begun())
            finally:
                os._exit(1)
        _, status = os.waitpid(first, 0)
    except OSError as error:
        return str(error)
    return "/proc cannot be mounted" if status else "yes"


def _begun() -> int:
    from paramedic.experiment.sandbox import namespaces

    try:
        namespaces.begin()
        namespaces.give_up_rights()
    except (OSError, KeyError):
        return 1
    return 0
