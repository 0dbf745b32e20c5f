"""Calls of Linux for which Python has no function. What fails raises an `OSError` that names it."""

from __future__ import annotations

import ctypes
import fcntl
import os
import platform
import socket
import struct

CLONE_NEWNS, CLONE_NEWIPC, CLONE_NEWUSER = 0x00020000, 0x08000000, 0x10000000
CLONE_NEWPID, CLONE_NEWNET = 0x20000000, 0x40000000
MS_RDONLY, MS_NOSUID, MS_NODEV, MS_NOEXEC = 1, 2, 4, 8
MS_BIND, MS_REC, MS_PRIVATE = 4096, 16384, 1 << 18
_MNT_DETACH = 2

_PR_SET_PDEATHSIG, _PR_SET_SECCOMP, _PR_CAPBSET_DROP = 1, 22, 24
_PR_SET_CHILD_SUBREAPER, _PR_SET_NO_NEW_PRIVS = 36, 38
_SECCOMP_FILTER = 2

# Numbers of system calls. The newer ones are the same on all processors.
_MOUNT_SETATTR = 442
_LANDLOCK_CREATE, _LANDLOCK_ADD_RULE, _LANDLOCK_RESTRICT = 444, 445, 446
_CAPSET = {"x86_64": 126, "aarch64": 91}
_AT_FDCWD, _AT_RECURSIVE = -100, 0x8000
_MOUNT_ATTR_RDONLY = 1

_SIOCGIFFLAGS, _SIOCSIFFLAGS, _IFF_UP = 0x8913, 0x8914, 1
_CAPABILITY_VERSION = 0x20080522

_libc = ctypes.CDLL(None, use_errno=True)


def _checked(result: int, what: str) -> int:
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number), what)
    return result


def _call(number: int, what: str, *arguments: object) -> int:
    return _checked(int(_libc.syscall(ctypes.c_long(number), *arguments)), what)


def unshare(flags: int) -> None:
    """New namespaces for this process; with a user namespace it must have a single thread."""
    _checked(_libc.unshare(ctypes.c_int(flags)), "unshare")


def mount(source: str, target: str, kind: str = "", flags: int = 0, options: str = "") -> None:
    """Mount a file system, or bind a folder or file to another place."""
    data = options.encode() if options else None
    result = _libc.mount(
        source.encode(), os.fsencode(target), kind.encode() or None, ctypes.c_ulong(flags), data
    )
    _checked(result, f"mount {kind or source} at {target}")


def detach(target: str) -> None:
    """Take a mount away; what still uses it keeps it."""
    _checked(_libc.umount2(os.fsencode(target), ctypes.c_int(_MNT_DETACH)), f"umount {target}")


def make_read_only(root: str) -> None:
    """All that is mounted at a place or below it."""
    attributes = struct.pack("QQQQ", _MOUNT_ATTR_RDONLY, 0, 0, 0)
    _call(
        _MOUNT_SETATTR, "mount_setattr", ctypes.c_int(_AT_FDCWD), root.encode(),
        ctypes.c_uint(_AT_RECURSIVE), attributes, ctypes.c_size_t(len(attributes)),
    )  # fmt: skip


def _prctl(option: int, what: str, *arguments: object) -> None:
    given = [*arguments, *([ctypes.c_ulong(0)] * (4 - len(arguments)))]
    _checked(_libc.prctl(ctypes.c_int(option), *given), what)


def die_with_parent(signal: int) -> None:
    """Get this signal when the thread that has started this process ends."""
    _prctl(_PR_SET_PDEATHSIG, "prctl", ctypes.c_ulong(signal))


def adopt_orphans() -> None:
    """Become the parent of whatever a descendant leaves behind."""
    _prctl(_PR_SET_CHILD_SUBREAPER, "prctl", ctypes.c_ulong(1))


def no_new_privileges() -> None:
    """From now on no program that is started gains rights, as `sudo` would."""
    _prctl(_PR_SET_NO_NEW_PRIVS, "prctl", ctypes.c_ulong(1))


def keep_capabilities(kept: frozenset[int]) -> None:
    """Give up all rights of an administrator but these, for good."""
    with open("/proc/sys/kernel/cap_last_cap", encoding="ascii") as file:
        last = int(file.read())
    for one in range(last + 1):
        if one not in kept:
            _prctl(_PR_CAPBSET_DROP, "prctl", ctypes.c_ulong(one))
    mask = sum(1 << one for one in kept)
    low, high = mask & 0xFFFFFFFF, mask >> 32
    header = struct.pack("Ii", _CAPABILITY_VERSION, 0)
    sets = struct.pack("6I", low, low, 0, high, high, 0)
    _call(_CAPSET[platform.machine()], "capset", header, sets)


def loopback_up() -> None:
    """In a new network namespace even the way to oneself is down."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as one:
        asked = struct.pack("16sH14x", b"lo", 0)
        (flags,) = struct.unpack_from("H", fcntl.ioctl(one, _SIOCGIFFLAGS, asked), 16)
        fcntl.ioctl(one, _SIOCSIFFLAGS, struct.pack("16sH14x", b"lo", flags | _IFF_UP))


def landlock_version() -> int:
    """Which version of Landlock this system has; 0 without."""
    found = int(_libc.syscall(ctypes.c_long(_LANDLOCK_CREATE), None, ctypes.c_size_t(0), 1))
    return max(found, 0)


def landlock_rules(attributes: bytes) -> int:
    """A new set of rules, as a descriptor."""
    size = ctypes.c_size_t(len(attributes))
    return _call(_LANDLOCK_CREATE, "landlock_create_ruleset", attributes, size, 0)


def landlock_allow(rules: int, folder: int, access: int) -> None:
    """Allow this below a folder, or on a file, that is open as a descriptor."""
    rule = struct.pack("=Qi", access, folder)
    _call(_LANDLOCK_ADD_RULE, "landlock_add_rule", rules, 1, rule, 0)


def landlock_enforce(rules: int) -> None:
    """From now on for this thread and all that it starts."""
    _call(_LANDLOCK_RESTRICT, "landlock_restrict_self", rules, 0)


def filter_calls(program: bytes) -> None:
    """Let a filter (of classic BPF) judge each system call of this thread and all it starts."""
    code = ctypes.create_string_buffer(program, len(program))
    given = struct.pack("HxxxxxxP", len(program) // 8, ctypes.addressof(code))
    _prctl(_PR_SET_SECCOMP, "seccomp", ctypes.c_ulong(_SECCOMP_FILTER), given)
