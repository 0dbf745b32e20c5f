"""Files of a program that are called like modules that we have imported, such as `statistics.py`.

The program must get its own, as without us, and we and the standard library at work for us the
real one. So for as long as it runs the real ones are hidden from it, and each import of such a name
is answered by who asks. Where there are none, which is nearly always, nothing is done.
"""

from __future__ import annotations

import builtins
import importlib
import os
import subprocess
import sys
import sysconfig
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from types import FrameType, ModuleType
from typing import Any

from paramedic.probe.isolation import isolated

_OURSELVES = os.path.dirname(os.path.dirname(os.path.realpath(__file__))) + os.sep
_STANDARD = tuple(
    os.path.realpath(sysconfig.get_paths()[name]) + os.sep for name in ("stdlib", "platstdlib")
)
_INSTALLED = (f"{os.sep}site-packages{os.sep}", f"{os.sep}dist-packages{os.sep}")
_FOR_US = ("paramedic", "rich", "typer", "click", "pygments", "markdown_it")  # who works for us


@contextmanager
def own_modules(folder: str) -> Iterator[None]:
    """While a program from `folder` runs, its modules are its own and ours are ours."""
    names = _namesakes(folder)
    if not names:
        yield
        return
    real = _real(names, folder)
    before = builtins.__import__
    for name in real:
        sys.modules.pop(name, None)
    builtins.__import__ = _import(real, before)
    try:
        yield
    finally:
        builtins.__import__ = before
        with isolated("namesakes"):
            for name in [one for one in sys.modules if one.partition(".")[0] in names]:
                del sys.modules[name]
            sys.modules.update(real)


def _namesakes(folder: str) -> set[str]:
    """The names of modules in the folder by which something else is known here, and would not be
    in an interpreter that has just been started."""
    with suppress(OSError):
        found = {name for entry in os.scandir(folder) if (name := _module(entry)) is not None}
        loaded = {name.partition(".")[0] for name in sys.modules}
        found &= sys.stdlib_module_names | loaded | set(_FOR_US)
        found -= {"paramedic", "__main__", *sys.builtin_module_names}
        return found - _from_the_start() if found else set()
    return set()


def _module(entry: os.DirEntry[str]) -> str | None:
    if entry.name.endswith(".py"):
        return entry.name.removesuffix(".py")
    is_package = os.path.isfile(os.path.join(entry.path, "__init__.py"))
    return entry.name if is_package else None


def _from_the_start() -> set[str]:
    """What every interpreter imports before it comes to a program."""
    command = [sys.executable, "-c", "import sys; print(*sys.modules)"]
    ran = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    return set(ran.stdout.split())


def _real(names: set[str], folder: str) -> dict[str, ModuleType]:
    """The real modules of these names, with what is inside of them."""
    before = list(sys.path)
    sys.path[:] = [one for one in before if os.path.realpath(one) != os.path.realpath(folder)]
    try:
        for name in names & (sys.stdlib_module_names | set(_FOR_US)):
            with suppress(Exception):  # one for another system, say
                importlib.import_module(name)
    finally:
        sys.path[:] = before
    return {
        name: module for name, module in list(sys.modules.items()) if name.split(".")[0] in names
    }


def _import(real: Mapping[str, ModuleType], original: Any) -> Any:
    def __import__(
        name: str,
        globals: Mapping[str, object] | None = None,
        locals: Mapping[str, object] | None = None,
        fromlist: Sequence[str] | None = (),
        level: int = 0,
    ) -> Any:
        if level or name not in real or not is_for_us(sys._getframe(1)):
            return original(name, globals, locals, fromlist, level)
        return real[name] if fromlist else real[name.partition(".")[0]]

    def is_for_us(frame: FrameType) -> bool:
        with isolated("namesakes"):
            return _is_for_us(frame)
        return False

    return __import__


def _is_for_us(frame: FrameType | None) -> bool:
    """Whether we, or the standard library at work for us, ask for a module."""
    while frame is not None:
        file = os.path.realpath(frame.f_code.co_filename)
        if file.startswith(_OURSELVES):
            return True
        if frame.f_globals.get("__name__", "").partition(".")[0] in _FOR_US:
            return any(part in file for part in _INSTALLED)
        is_standard = file.startswith(_STANDARD) and not any(part in file for part in _INSTALLED)
        if not is_standard and not frame.f_code.co_filename.startswith("<frozen"):
            return False
        frame = frame.f_back
    return False
