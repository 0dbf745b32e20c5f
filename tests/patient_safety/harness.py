"""Runs the programs of the gate, in all ways, and keeps what came of it."""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import socket
import stat
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
PROGRAMS = HERE / "programs"
_AT_ONCE = 2
_SECONDS = 60.0
_LAST_LINE = '\nif __name__ == "__main__": __import__("process_state").dump("end")\n'
INTERNAL = HERE / "internal"  # a program that does a bit of everything
_INSIDE = ("programs/patient.py", "process_state.py", "sitecustomize.py", "injection.py")
_WATCH = "paramedic.treat.watch"
_TORCH = ("torch", "torch._dynamo")
_RUN = (_WATCH, "paramedic.cli.main", "paramedic.run.watcher", "paramedic.report.run")

PLAIN, WATCH, EVERY_STEP, RUN = "plain", "watch", "every-step", "run"
WAYS = (WATCH, EVERY_STEP, RUN)  # that are compared with plain


@dataclass(frozen=True)
class Ran:
    """What came of a program."""

    code: int
    late: bool
    memory: int  # bytes, at most
    seconds: float
    stdout: str
    stderr: str
    log: str  # of our logger
    states: dict[str, dict[str, Any]]  # by the moment: `end` of the script, `exit` of the process
    files: dict[str, str]
    folder: Path
    report: dict[str, Any] = field(default_factory=dict)


class Server:
    """Servers that start processes, with some modules imported before."""

    def __init__(self, *modules: str) -> None:
        pairs = [socket.socketpair() for _ in range(_AT_ONCE)]
        theirs = [their.fileno() for _, their in pairs]
        command = [sys.executable, str(HERE / "zygote.py"), ",".join(map(str, theirs)), *modules]
        self._process = subprocess.Popen(
            command, pass_fds=theirs, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            env=_environment(), start_new_session=True,
        )  # fmt: skip
        self._connections = []
        for ours, their in pairs:
            their.close()
            self._connections.append(ours)
        self._free = threading.Semaphore(_AT_ONCE)

    def do(self, job: Mapping[str, Any]) -> dict[str, Any]:
        """Start a process, and wait for its end."""
        with self._free:
            connection = self._connections.pop()
            try:
                connection.sendall(json.dumps(job).encode() + b"\n")
                answer = connection.makefile("r").readline()
            finally:
                self._connections.append(connection)
        if not answer:
            raise RuntimeError(f"The server has died at {job['script']}.")
        found: dict[str, Any] = json.loads(answer)
        return found

    def close(self) -> None:
        for connection in self._connections:
            connection.close()
        self._process.wait(10)


def _environment() -> dict[str, str]:
    kept = ("PATH", "LANG", "LC_ALL", "LD_LIBRARY_PATH", "VIRTUAL_ENV", "COVERAGE_PROCESS_START")
    return {
        **{name: os.environ[name] for name in kept if name in os.environ},
        "OMP_NUM_THREADS": "1",
        "MKL_NUM_THREADS": "1",
        "PYTHONHASHSEED": "0",
        "CUDA_VISIBLE_DEVICES": "",
    }


class Gate:
    """Runs programs as they are asked for, a few at a time, and each way only once."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._inside = folder / "inside"
        self._inside.mkdir()
        for name in _INSIDE:
            shutil.copy(HERE / name, self._inside)
        self._programs = folder / "programs"  # as they were when it all began
        shutil.copytree(PROGRAMS, self._programs)
        shutil.copytree(INTERNAL, self._programs / INTERNAL.name)
        self._servers: dict[tuple[str, ...], Server] = {}
        self._pool = ThreadPoolExecutor(_AT_ONCE)
        self._lock = threading.RLock()
        self._futures: dict[tuple[str, str, bool], Future[Ran]] = {}
        self._injections = count()

    def ask(self, program: Path, way: str, *, fresh: bool = False) -> Future[Ran]:
        """Begin to run a program in one way, if that was not done; `fresh` forks nothing."""
        key = program.name, way, fresh
        with self._lock:
            if key not in self._futures:
                self._futures[key] = self._pool.submit(self._run, program, way, fresh)
            return self._futures[key]

    def inject(self, way: str, point: str) -> Future[Ran]:
        """Begin to run the program that does everything, with an error at one point of ours; `?`
        finds the points, and without a name nothing is done to it."""
        return self._pool.submit(self._injected, way, point)

    def _injected(self, way: str, point: str) -> Ran:
        folder = self._folder / f"injection-{next(self._injections)}"
        script = _laid_out(self._programs / INTERNAL.name, folder)
        job = self._job(folder, script, way, fresh=False)
        if way == RUN:
            job["arguments"] = ["run", "--exit-zero", "--json", f"{folder}/out/report.json", script]
        if point:
            job["environment"]["PATIENT_INJECT"] = point
        ran = _ran(folder, self._server(*_TORCH, *_RUN).do(job))
        if point != "?":
            shutil.rmtree(folder)
        return ran

    def extra(self) -> int:
        """The bytes of a new process that a fork does not count: libraries that it shares."""
        fork, fresh = (self.ask(programs()[0], PLAIN, fresh=one) for one in (False, True))
        return fresh.result().memory - fork.result().memory

    def close(self) -> None:
        self._pool.shutdown(cancel_futures=True)
        for server in self._servers.values():
            server.close()

    def _server(self, *modules: str) -> Server:
        with self._lock:
            if modules not in self._servers:
                self._servers[modules] = Server(*modules)
            return self._servers[modules]

    def _run(self, program: Path, way: str, fresh: bool) -> Ran:
        program = self._programs / program.name
        fresh = fresh or way == RUN or program.is_dir()
        folder = self._folder / f"{program.stem}-{way}{'-fresh' * fresh}"
        script = _laid_out(program, folder)
        job = self._job(folder, script, way, fresh)
        if fresh:
            server = self._server()
        else:
            server = self._server(*_TORCH, *([_WATCH] if way in (WATCH, EVERY_STEP) else []))
        answer = server.do(job)
        return _ran(folder, answer)

    def _job(self, folder: Path, script: str, way: str, fresh: bool) -> dict[str, Any]:
        work, out = folder / "work", folder / "out"
        run = ["-m", "paramedic", "run", "--exit-zero", "--json", str(out / "report.json")]
        written = os.O_WRONLY | os.O_CREAT | os.O_APPEND
        return {
            "folder": str(work),
            "script": script,
            "command": [sys.executable, *(run if way == RUN else []), script] if fresh else None,
            "seconds": _SECONDS,
            "streams": [
                (os.devnull, os.O_RDONLY),
                (str(out / "stdout"), written),
                (str(out / "stderr"), written),
            ],
            "environment": {
                "HOME": str(folder / "home"),
                "TMPDIR": str(folder / "tmp"),
                "PYTHONPATH": str(self._inside),
                "PYTHONDONTWRITEBYTECODE": "1",
                "PARAMEDIC_HOME": str(folder / "paramedic"),
                "PATIENT": PLAIN if way == RUN else way,
                "PATIENT_LOG": str(out / "log"),
                "PATIENT_STATE": str(out),
            },
        }


def _laid_out(program: Path, folder: Path) -> str:
    """A folder of its own for the program to work in; the path of the script inside of it."""
    for name in ("work", "out", "home", "tmp"):
        (folder / name).mkdir(parents=True)
    if program.is_dir():
        shutil.copytree(program, folder / "work" / program.name)
        script = f"{program.name}/main.py"
    else:
        shutil.copy(program, folder / "work")
        script = program.name
    with open(folder / "work" / script, "a", encoding="utf-8") as file:
        file.write(_LAST_LINE)
    return script


def _ran(folder: Path, answer: Mapping[str, Any]) -> Ran:
    out = folder / "out"

    def text(name: str) -> str:
        path = out / name
        found = path.read_text(encoding="utf-8", errors="backslashreplace") if path.exists() else ""
        # A message may show no more than the end of a path.
        return re.sub(
            rf"[^\s'\"]*{re.escape(f'{folder.parent.name}/{folder.name}')}", "FOLDER", found
        )

    states = {
        moment: json.loads(text(f"{moment}.json"))
        for moment in ("end", "exit")
        if (out / f"{moment}.json").exists()
    }
    report = json.loads(text("report.json") or "{}")
    return Ran(
        **answer, stdout=text("stdout"), stderr=text("stderr"), log=text("log"), states=states,
        files=dict(_files(folder)), folder=folder, report=report,
    )  # fmt: skip


def _files(folder: Path) -> Iterator[tuple[str, str]]:
    """What is in the folders that a program can write to, but for caches of libraries."""
    for name in ("work", "home", "tmp"):
        for path in sorted((folder / name).rglob("*")):
            below = str(path.relative_to(folder))
            if "torchinductor" not in below and ".cache" not in below:
                yield below, _described(path)


def _described(path: Path) -> str:
    about = path.lstat()
    mode = stat.filemode(about.st_mode)
    if path.is_symlink():
        return f"{mode} to {os.readlink(path)}"
    if not path.is_file():
        return mode
    return f"{mode} {hashlib.sha256(path.read_bytes()).hexdigest()[:16]}"


def programs() -> list[Path]:
    """The scripts, and the folders with a `main.py`."""
    return sorted(
        one
        for one in PROGRAMS.iterdir()
        if (one / "main.py").is_file() or (one.suffix == ".py" and one.name != "patient.py")
    )
