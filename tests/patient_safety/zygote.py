"""Starts processes for the gate; itself started once, with the modules that are imported before.

`python zygote.py NUMBER [MODULE ...]` imports the modules, which takes seconds, and forks as many
servers. Each takes jobs, one at a time, from its own socket, and ends the group of processes of a
job when that is over or its time is up. A job is a command, which is executed, or a script, which
is run by a fork that has everything imported already.
"""

from __future__ import annotations

import atexit
import gc
import importlib
import json
import os
import random
import select
import signal
import socket
import sys
import time
from contextlib import suppress
from importlib.machinery import SourceFileLoader
from types import ModuleType
from typing import Any

_COMMAND = "from paramedic.cli.main import app; app(prog_name='paramedic')"


def main() -> dict[str, Any]:
    """A job, in the fork that is to do it; the servers do not come back."""
    sockets = [socket.socket(fileno=int(one)) for one in sys.argv[1].split(",")]
    for name in sys.argv[2:]:
        importlib.import_module(name)
    gc.freeze()  # what is shared stays shared, and a fork ends without going through all of it
    servers = []
    for mine in sockets:
        child = os.fork()
        if child == 0:
            for other in sockets:
                if other is not mine:
                    other.close()
            return _serve(mine)
        servers.append(child)
    for one in sockets:
        one.close()
    for child in servers:
        os.waitpid(child, 0)
    os._exit(0)


def _serve(connection: socket.socket) -> dict[str, Any]:
    lines = connection.makefile("r")
    for line in lines:
        job: dict[str, Any] = json.loads(line)
        begin = time.monotonic()
        child = os.fork()
        if child == 0:
            os.setsid()
            lines.close()
            connection.close()
            _enter(job)
            return job
        status, usage, late = _wait(child, job["seconds"])
        answer = {
            "code": os.waitstatus_to_exitcode(status),
            "memory": usage.ru_maxrss * 1024,
            "late": late,
            "seconds": time.monotonic() - begin,
        }
        connection.sendall(json.dumps(answer).encode() + b"\n")
    os._exit(0)


def _wait(child: int, seconds: float) -> tuple[int, Any, bool]:
    """Until the process ends, or has to; nothing that it has started goes on."""
    pidfd = os.pidfd_open(child)
    over, _, _ = select.select([pidfd], [], [], seconds)
    os.close(pidfd)
    with suppress(ProcessLookupError):
        os.killpg(child, signal.SIGKILL)
    _, status, usage = os.wait4(child, 0)
    return status, usage, not over


def _enter(job: dict[str, Any]) -> None:
    """The folder, the streams and the variables of a job; a command does not come back."""
    os.chdir(job["folder"])
    for number, (path, flags) in enumerate(job["streams"]):
        opened = os.open(path, flags, 0o600)
        os.dup2(opened, number)
        os.close(opened)
    os.environ.update(job["environment"])
    if "TORCHINDUCTOR_CACHE_DIR" in os.environ:  # set by torch as it was imported
        os.environ["TORCHINDUCTOR_CACHE_DIR"] = os.path.join(
            os.environ["TMPDIR"], os.path.basename(os.environ["TORCHINDUCTOR_CACHE_DIR"])
        )
    os.environ["PATIENT_PROCESS"] = str(os.getpid())
    if job["command"]:
        os.execv(job["command"][0], job["command"])


def load(job: dict[str, Any]) -> tuple[Any, dict[str, Any]]:
    """The code of the script, and the names it has: as those of the main module."""
    path = os.path.join(job["folder"], job["script"])
    sys.argv = [job["script"]]
    sys.path[0] = os.path.dirname(os.path.realpath(path))
    sys.path[1:1] = job["environment"]["PYTHONPATH"].split(os.pathsep)
    import process_state

    atexit.register(process_state.dump, "exit")
    random.seed(0)
    if "numpy" in sys.modules:
        sys.modules["numpy"].random.seed(0)
        process_state.numpy_is_seeded = True
    if "arguments" in job:
        sys.argv = ["paramedic", *job["arguments"]]
        return compile(_COMMAND, "command", "exec"), {"__name__": "__main__"}
    for beside in os.listdir(sys.path[0]):  # what is called like them was imported by us
        sys.modules.pop(beside.removesuffix(".py"), None)
    main = ModuleType("__main__")
    main.__dict__.update(__builtins__=__builtins__, __file__=path, __cached__=None)
    main.__loader__ = SourceFileLoader("__main__", path)
    sys.modules["__main__"] = main
    with open(path, "rb") as file:
        return compile(file.read(), path, "exec", dont_inherit=True), main.__dict__


if __name__ == "__main__":
    exec(*load(main()))  # noqa: S102 - nothing of ours is around the program, nor after it
