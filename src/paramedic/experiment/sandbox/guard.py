"""What Python itself refuses where there are no namespaces: the guard.

It hears of every file, socket and process before Python touches it (`sys.addaudithook`) and
refuses what is not within a private folder, with the error that a read-only disk would give. What
it refuses is noted, so that it can be told. Writers in C that ask nobody are in `writers.py`.

This file is also loaded by itself, before the program that is guarded begins: it imports nothing
of ours.
"""

from __future__ import annotations

import errno
import os
import stat
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

NOTES = "refused"  # the file in the private folder that says what was refused
_WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
_HARMLESS = {"/dev/null", "/dev/zero", "/dev/full", "/dev/fd", "/dev/stdout", "/dev/stderr"}
# Shared memory of `multiprocessing`: files with new names that are removed at once.
_SHARED_MEMORY = "/dev/shm/pym-"
_LOCAL = {"AF_UNIX"}
_ISOLATED = {"-I", "-E", "-S"}  # options with which Python would start without the guard


@dataclass(frozen=True, slots=True)
class Rules:
    """What is allowed: writing in the folder `private`. With `kernel` the kernel refuses the rest,
    too, to all that is started; else only Python may be started, which is guarded again."""

    private: str
    kernel: bool = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "private", os.path.realpath(self.private))


def install(rules: Rules) -> Guard:
    """From now on, in this process and all it forks; it cannot be taken away."""
    guard = Guard(rules)
    sys.addaudithook(guard)
    if not rules.kernel:
        _hand_on(guard)
    for name in ("mkfifo", "mknod"):
        if hasattr(os, name):
            setattr(os, name, _asking(guard, getattr(os, name)))
    os.open = _with_whole_names(os.open)
    os.supports_dir_fd.add(os.open)
    return guard


class Guard:
    """Called by Python with each event; raises to refuse."""

    def __init__(self, rules: Rules) -> None:
        self._rules = rules
        self._notes = os.open(
            os.path.join(rules.private, NOTES), os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600
        )
        self._session = os.getsid(0)
        self._answers: dict[str, Callable[..., None]] = {
            "open": self._open,
            "sqlite3.connect": self._database,
            "os.truncate": lambda path, length: self.written(path),
            "os.chmod": lambda path, mode, folder: self.written(path, folder),
            "os.chown": lambda path, user, group, folder: self.written(path, folder),
            "os.chflags": lambda path, flags: self.written(path),
            "os.utime": lambda path, times, ns, folder: self.written(path, folder),
            "os.setxattr": lambda path, *rest: self.written(path),
            "os.removexattr": lambda path, *rest: self.written(path),
            "os.mkdir": lambda path, mode, folder: self._entry(path, folder),
            "os.remove": self._entry,
            "os.rmdir": self._entry,
            "os.symlink": lambda target, path, folder: self._entry(path, folder),
            "os.link": self._move,
            "os.rename": self._move,
            "os.kill": self._signal,
            "os.killpg": lambda group, number: self._signal(group, number),
            "socket.connect": self._connect,
            "socket.bind": self._connect,
            "socket.sendto": self._connect,
            "socket.sendmsg": self._connect,
            "socket.getaddrinfo": lambda host, *rest: self._look_up(host),
            "socket.gethostbyname": self._look_up,
            "syslog.syslog": lambda *rest: self.refuse("write", "the system's log"),
            "webbrowser.open": lambda url: self.refuse("start", "a browser"),
        }
        if not rules.kernel:
            self._answers |= {
                "subprocess.Popen": lambda file, arguments, *rest: self.program(arguments),
                "os.exec": lambda path, arguments, env: self.program(arguments),
                "os.posix_spawn": lambda path, arguments, env: self.program(arguments),
                "os.system": lambda command: self.refuse("start", os.fsdecode(command)),
            }

    def __call__(self, event: str, arguments: tuple[Any, ...]) -> None:
        answer = self._answers.get(event)
        if answer is not None:
            answer(*arguments)

    # -- files -------------------------------------------------------------------------------

    def _open(self, path: Any, mode: str | None, flags: int) -> None:
        if flags & _WRITES and not isinstance(path, int):
            self.written(path)

    def _database(self, name: Any) -> None:
        text = os.fsdecode(name)
        if text.startswith("file:"):
            if "mode=ro" in text or "mode=memory" in text or "immutable=1" in text:
                return
            text = text[5:].partition("?")[0]
        if text and text != ":memory:":
            self.written(text)

    def written(self, path: Any, folder: int = -1) -> None:
        """A file is to be written, which may be at the end of links."""
        full = _full(path, folder)
        if full is not None:
            self._within(os.path.realpath(full), full)

    def _entry(self, path: Any, folder: int = -1) -> None:
        """A name is to be made or removed; what it is a link to does not matter."""
        full = _full(path, folder)
        if full is not None:
            parent, name = os.path.split(full.rstrip("/"))
            self._within(os.path.join(os.path.realpath(parent), name), full)

    def _move(self, source: Any, target: Any, before: int = -1, after: int = -1) -> None:
        self._entry(source, before)
        self._entry(target, after)

    def _within(self, real: str, told: str) -> None:
        private = self._rules.private
        if real == private or real.startswith((private + os.sep, _SHARED_MEMORY)):
            return
        if real in _HARMLESS or real.startswith("/proc/self/"):
            return
        self._note("write", told)
        raise OSError(errno.EROFS, os.strerror(errno.EROFS), told)

    # -- others ------------------------------------------------------------------------------

    def _connect(self, socket: Any, address: Any) -> None:
        if getattr(socket.family, "name", "") not in _LOCAL:
            self.refuse("connect to", _address(address))
        elif isinstance(address, str | bytes) and os.fsdecode(address)[:1] not in ("", "\0"):
            full = os.path.realpath(os.fsdecode(address))
            if not full.startswith(self._rules.private + os.sep):
                self.refuse("connect to", full)

    def _look_up(self, host: Any) -> None:
        if host not in (None, "", "localhost", "127.0.0.1", "::1", b"localhost"):
            self.refuse("connect to", str(host))

    def _signal(self, process: int, number: int) -> None:
        try:
            is_own = number == 0 or process == 0 or os.getsid(abs(process)) == self._session
        except OSError:  # there is none
            return
        if not is_own or process == -1:
            self.refuse("signal", f"process {process}")

    def program(self, arguments: Any) -> None:
        """A program is to be started, of which only another Python would be guarded."""
        words = [os.fsdecode(one) for one in _words(arguments)]
        if not words or os.path.realpath(words[0]) != os.path.realpath(sys.executable):
            self.refuse("start", " ".join(words)[:80])
        options = [one for one in words[1:] if one.startswith("-")]
        if _ISOLATED & set(options):
            self.refuse("start", " ".join(words)[:80])

    def refuse(self, verb: str, what: str) -> None:
        """Say no as a system does that does not permit it."""
        self._note(verb, what)
        raise PermissionError(errno.EACCES, f"{os.strerror(errno.EACCES)} in the sandbox", what)

    def _note(self, verb: str, what: str) -> None:
        line = " ".join(f"{verb} {what}".split())
        try:
            os.write(self._notes, f"{line}\n".encode(errors="replace"))
        except OSError:  # the program has closed it, or the disk is full
            return


def _full(path: Any, folder: int) -> str | None:
    """The absolute path; None for a file that is open already and is no file of a disk."""
    if isinstance(path, int):
        return _of_descriptor(path)
    text = os.fsdecode(path)
    if os.path.isabs(text):
        return text
    begin = os.getcwd() if folder in (-1, None) else _of_descriptor(folder)
    return None if begin is None else os.path.join(begin, text)


def _of_descriptor(number: int) -> str | None:
    if not stat.S_ISREG(mode := os.fstat(number).st_mode) and not stat.S_ISDIR(mode):
        return None
    if os.path.isdir("/proc/self/fd"):
        return os.readlink(f"/proc/self/fd/{number}")
    import fcntl

    found = fcntl.fcntl(number, fcntl.F_GETPATH, bytes(1024))  # type: ignore[attr-defined]
    return os.fsdecode(bytes(found).rstrip(b"\0"))


def _address(address: Any) -> str:
    return ":".join(str(one) for one in address[:2]) if isinstance(address, tuple) else str(address)


def _words(arguments: Any) -> Sequence[Any]:
    return [arguments] if isinstance(arguments, str | bytes | os.PathLike) else list(arguments)


def _with_whole_names(original: Callable[..., int]) -> Callable[..., int]:
    """Of a file that is opened in a folder, Python tells only the name that it has there."""

    def open(path: Any, flags: int, mode: int = 0o777, *, dir_fd: int | None = None) -> int:
        full = None if dir_fd is None else _full(path, dir_fd)
        return original(path if full is None else full, flags, mode)

    return open


def _asking(guard: Guard, original: Callable[..., Any]) -> Callable[..., Any]:
    def asked(path: Any, *arguments: Any, **named: Any) -> Any:
        guard._entry(path, named.get("dir_fd") or -1)
        return original(path, *arguments, **named)

    return asked


def _hand_on(guard: Guard) -> None:
    """`multiprocessing` starts Python by a function that Python does not report."""
    import _posixsubprocess

    original = _posixsubprocess.fork_exec

    def fork_exec(arguments: Any, *rest: Any) -> Any:
        guard.program(arguments)
        return original(arguments, *rest)

    _posixsubprocess.fork_exec = fork_exec
