"""The way into the sandbox: one call, in a process that was just forked and has a single thread.

It becomes two or three processes: the one that was forked stays outside, watches and ends the
others; with namespaces there is the first process of them, which only buries the dead; in the last
one the call returns, and whatever it does from then on is private.
"""

from __future__ import annotations

import os
import resource
import select
import shutil
import signal
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import NoReturn

from paramedic.experiment.sandbox import guard
from paramedic.experiment.sandbox.descriptors import privatise
from paramedic.experiment.sandbox.limits import Limits
from paramedic.experiment.sandbox.possible import How
from paramedic.experiment.sandbox.processes import Group, Wanted, close_all_but, reap, supervise

if sys.platform == "linux":
    from paramedic.experiment.sandbox import confinement, linux, namespaces

_FIRST_TO_GO = "500"  # for the kernel, when memory runs out: this, and not what the user works on


@dataclass(frozen=True, slots=True)
class Terms:
    """How a process enters. `private` is a folder that is not there yet: it is made for what the
    process is to leave or to keep for itself, and gone at the end. `written` are folders that it
    surely writes to."""

    how: How
    private: str
    limits: Limits = field(default_factory=Limits)
    written: tuple[str, ...] = ()


Told = Callable[[int, str], None]  # an exit code, and which limit was exceeded


def enter(
    terms: Terms,
    *,
    at_end: Told | None = None,
    alive: int | None = None,
    outside: Sequence[int] = (),
    keep: Sequence[int] = (),
    starts_program: bool = False,
) -> None:
    """Go into the sandbox. Returns in a new process; the calling one never comes back.

    The calling process ends with the exit code of the new one, after `at_end` was called in it,
    where the files of the sandbox can still be read. It ends the sandbox when its own parent ends,
    or the descriptor `alive` says that its writer is gone. Of what is open, `outside` stays open
    there, `keep` in the new process; other files become private copies, sockets and pipes are cut
    off. With `starts_program` Python's part of the guard is left to the program (see `launcher`).

    Whoever calls this in a forked process must end that process if it raises.
    """
    folder, parent = os.getcwd(), os.getppid()
    with suppress(OSError):  # it leads a session already
        os.setsid()
    limits = terms.limits.fixed()
    _expendable()
    is_namespace = terms.how is How.NAMESPACES
    leader, held = _into_namespaces(terms, limits) if is_namespace else _under_guard(terms)
    if leader:
        close_all_but([*outside, *held, *([] if alive is None else [alive])])
        _outside(Group(leader, is_namespace), terms, limits, Wanted(parent, alive), at_end)
    os.chdir(folder)  # the same name, but in the private view
    privatise(keep, None if is_namespace else terms.private)
    if is_namespace:
        namespaces.give_up_rights()
        return
    if limits.disk is not None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (limits.disk, limits.disk))
    if terms.how is How.LANDLOCK:
        confinement.confine(terms.private)
    if not starts_program:
        guard.install(guard.Rules(terms.private, kernel=terms.how is How.LANDLOCK))


def _expendable() -> None:
    with suppress(OSError), open("/proc/self/oom_score_adj", "w", encoding="ascii") as file:
        file.write(_FIRST_TO_GO)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def _into_namespaces(terms: Terms, limits: Limits) -> tuple[int, list[int]]:
    """Gives the number of the first process and what keeps it alive; 0 in the one that goes on."""
    assert limits.disk is not None
    namespaces.enter(limits.disk, (*terms.written, os.path.dirname(terms.private)))
    above, held = os.pipe()  # held by the one that stays outside
    first = os.fork()
    if first:
        return first, [held]
    linux.die_with_parent(signal.SIGKILL)
    os.close(held)
    if select.select([above], [], [], 0)[0]:  # it has died before it could be noticed
        os._exit(1)
    namespaces.begin()
    program = os.fork()
    if program:
        close_all_but(())
        os._exit(reap(program))
    os.setsid()
    _make_private(terms)
    return 0, []


def _under_guard(terms: Terms) -> tuple[int, list[int]]:
    """The same with processes alone."""
    above = os.getpid()
    if sys.platform == "linux":
        linux.adopt_orphans()
    _make_private(terms)
    program = os.fork()
    if program:
        return program, []
    os.setsid()
    if sys.platform == "linux":
        linux.die_with_parent(signal.SIGKILL)
    if os.getppid() != above:
        os._exit(1)
    return 0, []


def _make_private(terms: Terms) -> None:
    os.mkdir(terms.private, 0o700)
    os.mkdir(os.path.join(terms.private, "tmp"), 0o700)


def _outside(
    group: Group, terms: Terms, limits: Limits, wanted: Wanted, at_end: Told | None
) -> NoReturn:
    """What the process does that stays outside, until its end."""
    code = 1
    try:
        written = "" if group.is_namespace else terms.private
        code, why = supervise(group, limits, wanted, written)
        if at_end is not None:
            at_end(code, why)
    finally:
        if not group.is_namespace:
            shutil.rmtree(terms.private, ignore_errors=True)
        os._exit(code)
