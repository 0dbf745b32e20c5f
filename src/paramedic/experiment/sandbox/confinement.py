"""What the kernel refuses without namespaces (Linux): writing outside of a folder, and networks.

Landlock (from Linux 5.13 on) knows no file of the rest for writing, and a filter of system calls
no sockets but those of this machine. Both hold for all that is started, whatever it is written in.
They do not see that rights, owners or times of a file are changed: that is left to the guard.
"""

from __future__ import annotations

import os
import platform
import struct
from contextlib import suppress

from paramedic.experiment.sandbox import linux

# What of a file system can be forbidden: bits 1 and 4 to 15 of Landlock, some since a version.
_WRITE_FILE = 1 << 1
_OF_FOLDERS = sum(1 << bit for bit in range(4, 13))  # remove and make entries of all kinds
_REFER, _TRUNCATE = 1 << 13, 1 << 14
_SINCE = {1: _WRITE_FILE | _OF_FOLDERS, 2: _REFER, 3: _TRUNCATE}
_OUTSIDE = 0b11  # sockets without a file, and signals, of processes outside; since version 6
_SCOPES_SINCE = 6
# Written to by what every program uses; nothing of it lasts.
_SHARED = ("/dev/null", "/dev/zero", "/dev/full", "/dev/shm", "/dev/dri", "/dev/kfd")
_GRAPHICS = "nvidia"

_SOCKET = {"x86_64": 41, "aarch64": 198}  # number of the system call
_ARCHITECTURE = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
_LOCAL = 1  # AF_UNIX
_LOAD, _EQUALS, _RETURN = 0x20, 0x15, 0x06
_ALLOW, _DENY = 0x7FFF0000, 0x00050000 | 13  # EACCES


def knows_machine() -> bool:
    """Whether system calls of this processor can be told apart."""
    return platform.machine() in _SOCKET


def confine(private: str) -> None:
    """For this process and all it starts, for good."""
    linux.no_new_privileges()
    _without_network()
    _only_writing(private)


def _only_writing(private: str) -> None:
    version = linux.landlock_version()
    access = sum(bits for since, bits in _SINCE.items() if version >= since)
    scopes = _OUTSIDE if version >= _SCOPES_SINCE else 0
    attributes = struct.pack("=QQQ", access, 0, scopes)
    rules = linux.landlock_rules(attributes if scopes else attributes[:8])
    graphics = [f"/dev/{one}" for one in os.listdir("/dev") if one.startswith(_GRAPHICS)]
    for path in (private, *_SHARED, *graphics):
        with suppress(FileNotFoundError):
            opened = os.open(path, os.O_PATH | os.O_CLOEXEC)
            is_folder = os.path.isdir(path)
            allowed = access if is_folder else access & (_WRITE_FILE | _TRUNCATE)
            linux.landlock_allow(rules, opened, allowed)
            os.close(opened)
    linux.landlock_enforce(rules)
    os.close(rules)


def _without_network() -> None:
    """Only sockets between processes of this machine can be made."""
    machine = platform.machine()
    steps = [
        (_LOAD, 0, 0, 4),  # which processor the call is meant for
        (_EQUALS, 0, 5, _ARCHITECTURE[machine]),
        (_LOAD, 0, 0, 0),  # which call it is
        (_EQUALS, 0, 2, _SOCKET[machine]),
        (_LOAD, 0, 0, 16),  # its first argument
        (_EQUALS, 0, 1, _LOCAL),
        (_RETURN, 0, 0, _ALLOW),
        (_RETURN, 0, 0, _DENY),
    ]
    linux.filter_calls(b"".join(struct.pack("HBBI", *step) for step in steps))
