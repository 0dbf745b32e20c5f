"""What `Sandbox.run` starts: a small process that enters the sandbox and becomes the program.

It is told what to do by a line of JSON on its standard input, which stays open: when it closes,
nobody waits any more. What came of it is a line of JSON on a pipe of its own.
"""

from __future__ import annotations

import base64
import importlib.util
import json
import os
import sys
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

from paramedic.experiment.sandbox.copying import Copies, TooLarge
from paramedic.experiment.sandbox.entering import Terms, enter
from paramedic.experiment.sandbox.guard import NOTES
from paramedic.experiment.sandbox.limits import Limits
from paramedic.experiment.sandbox.possible import How, best

CANNOT = 126  # the exit code of a shell for what cannot be started
_MOST_BYTES = 256 * 2**20  # of what is handed out
_MOST_NOTES = 64 * 2**10
_HERE = Path(__file__).parent
_START = "sitecustomize.py"  # what Python runs before any program
_CACHES = {  # libraries that would write to the home
    "MPLCONFIGDIR": "matplotlib",
    "TORCHINDUCTOR_CACHE_DIR": "inductor",
    "TRITON_CACHE_DIR": "triton",
    "NUMBA_CACHE_DIR": "numba",
}


def main() -> None:
    """Never returns."""
    report = int(sys.argv[1])
    told = json.loads(sys.stdin.buffer.readline())
    terms = Terms(
        best() if told["how"] is None else How(told["how"]), told["private"],
        Limits(**told["limits"]), tuple(told["written"]),
    )  # fmt: skip
    at_end = partial(_tell, report, terms, told["collect"])
    try:
        enter(terms, at_end=at_end, alive=0, outside=[report], keep=(1, 2), starts_program=True)
        if terms.how is How.NAMESPACES:
            _in_namespaces(told)
        else:
            _guarded(told, kernel=terms.how is How.LANDLOCK)
    except (OSError, TooLarge, KeyError) as error:
        with suppress(OSError):
            _note(terms.private, f"cannot {error}")
    os._exit(CANNOT)


def _tell(report: int, terms: Terms, collect: list[str], code: int, why: str) -> None:
    private = Path(terms.private)
    files = {name: _content(private / name, _MOST_BYTES) for name in collect}
    notes = _content(private / NOTES, _MOST_NOTES) or b""
    told = {
        "code": code,
        "why": why,
        "how": terms.how,
        "notes": notes.decode(errors="replace").splitlines(),
        "files": {
            name: base64.b64encode(content).decode()
            for name, content in files.items()
            if content is not None
        },
    }
    with os.fdopen(report, "w", encoding="utf-8") as pipe:
        pipe.write(json.dumps(told) + "\n")


def _content(path: Path, most: int) -> bytes | None:
    with suppress(OSError):
        opened = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
        with os.fdopen(opened, "rb") as file:
            return file.read(most)
    return None


def _in_namespaces(told: dict[str, Any]) -> None:
    """All paths are the real ones: a changed file is written where it is, for this process."""
    for path, text in told["files"].items():
        _overwrite(path, text.encode())
    os.chdir(told["folder"])
    os.execvpe(told["command"][0], told["command"], told["environment"])


def _overwrite(path: str, content: bytes) -> None:
    found = os.stat(path)
    try:
        Path(path).write_bytes(content)
    except PermissionError:  # its folder may be ours nevertheless
        os.unlink(path)
        Path(path).write_bytes(content)
        os.chmod(path, found.st_mode)
    os.utime(path, (found.st_atime, found.st_mtime + 2))  # what is compiled is older
    with suppress(OSError, NotImplementedError):
        os.unlink(importlib.util.cache_from_source(path))


def _guarded(told: dict[str, Any], *, kernel: bool) -> None:
    """In place, or in copies of the folders `copied` where the program is to write there."""
    private, environment = Path(told["private"]), told["environment"]
    command, folder, shown = told["command"], told["folder"], {}
    if told["copied"]:
        copies = Copies([Path(one) for one in told["copied"]], private)
        command, folder = [copies.of(one) for one in command], copies.of(folder)
        environment = copies.environment(environment)
        for path, text in told["files"].items():
            if copies.of(path) == path:
                raise OSError(f"`{path}` is outside of the program's folder")
            Path(copies.of(path)).write_bytes(text.encode())
    else:
        for number, (path, text) in enumerate(told["files"].items()):
            shown[path] = str(private / f"text{number}.py")
            Path(shown[path]).write_bytes(text.encode())
    os.chdir(folder)
    rules = {"private": str(private), "kernel": kernel, "shown": shown}
    os.execvpe(command[0], command, _environment(environment, private, rules))


def _environment(given: dict[str, str], private: Path, rules: dict[str, Any]) -> dict[str, str]:
    """So that the guard is there before the program is, in every Python that it starts."""
    start = private / "start"
    start.mkdir()
    (start / _START).write_text(_starting(start, rules), encoding="utf-8")
    paths = [str(start), *filter(None, [given.get("PYTHONPATH", "")])]
    return {
        **given,
        **{name: str(private / "tmp" / folder) for name, folder in _CACHES.items()},
        "TMPDIR": str(private / "tmp"),
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONPATH": os.pathsep.join(paths),
    }


def _starting(start: Path, rules: dict[str, Any]) -> str:
    """The user's own `sitecustomize`, if there is one, comes after it."""
    return f"""
import importlib.util, json, sys

def load(name):
    path = {str(_HERE)!r} + "/" + name + ".py"
    spec = importlib.util.spec_from_file_location("_guard_" + name, path)
    module = sys.modules[spec.name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module

rules = json.loads({json.dumps(rules)!r})
sys.path.remove({str(start)!r})
guard = load("guard")
if rules["shown"]:
    load("substitution").install(rules["shown"])
installed = guard.install(guard.Rules(rules["private"], rules["kernel"]))
if not rules["kernel"]:
    load("writers").AskingWriters(installed.written).install()
this = sys.modules.pop("sitecustomize")
try:
    import sitecustomize
except ImportError:
    pass
finally:
    sys.modules.setdefault("sitecustomize", this)
"""


def _note(private: str, line: str) -> None:
    with open(os.path.join(private, NOTES), "a", encoding="utf-8") as file:
        file.write(" ".join(line.split()) + "\n")
