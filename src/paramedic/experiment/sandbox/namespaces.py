"""A view of the machine of its own for this process and all it starts (Linux).

Its user has the same number as outside, but rights only here; it sees no other processes, no
network but a loopback of its own, and of the file system what `mounts` builds. The first process
of the new namespaces is `init`: when it ends, the kernel ends all others.
"""

from __future__ import annotations

import os
from collections.abc import Sequence

from paramedic.experiment.sandbox import linux, mounts

_EVERYTHING = (
    linux.CLONE_NEWUSER
    | linux.CLONE_NEWNS
    | linux.CLONE_NEWPID
    | linux.CLONE_NEWNET
    | linux.CLONE_NEWIPC
)
# To write to files whoever owns them, as an administrator expects: CAP_CHOWN, DAC_OVERRIDE,
# DAC_READ_SEARCH, FOWNER, FSETID, KILL, SETGID and SETUID.
_OF_ADMINISTRATOR = frozenset(range(8))


def enter(disk: int, written: Sequence[str]) -> None:
    """New namespaces; the next process that is forked is the first one of them (see `begin`)."""
    user, group = os.geteuid(), os.getegid()
    if user == 0:
        _with_all_ids()
    else:
        linux.unshare(_EVERYTHING)
        _write("setgroups", "deny")
        _write("gid_map", f"{group} {group} 1")
        _write("uid_map", f"{user} {user} 1")
    linux.loopback_up()
    mounts.build(disk, written)


def begin() -> None:
    """In the first process: the list of processes becomes that of the namespace."""
    mounts.own_processes()


def give_up_rights() -> None:
    """In the process that somebody else's code is to run in: what was made stays as it is."""
    kept = _OF_ADMINISTRATOR if os.geteuid() == 0 else frozenset[int]()
    linux.no_new_privileges()
    linux.keep_capabilities(kept)


def _with_all_ids() -> None:
    """An administrator works with files of many owners. Only a process that has stayed outside
    may give a namespace all of them."""
    ready_read, ready = os.pipe()
    helper = os.fork()
    if helper == 0:
        os.close(ready)
        os._exit(_map_parent(ready_read))
    os.close(ready_read)
    try:
        linux.unshare(_EVERYTHING)
    finally:
        os.close(ready)
        _, status = os.waitpid(helper, 0)
    if status:
        raise OSError("the users of the machine cannot be had in a namespace")


def _map_parent(ready: int) -> int:
    """Once the parent is in its namespace, give it all users and groups that there are here. Gives
    an exit code."""
    try:
        os.read(ready, 1)
        for name in ("gid_map", "uid_map"):
            with open(f"/proc/self/{name}", encoding="ascii") as file:
                ranges = [line.split() for line in file]
            same = "".join(f"{first} {first} {count}\n" for first, _, count in ranges)
            _write(name, same, str(os.getppid()))
    except (OSError, ValueError):
        return 1
    return 0


def _write(name: str, text: str, process: str = "self") -> None:
    with open(f"/proc/{process}/{name}", "w", encoding="ascii") as file:
        file.write(text)
