"""Somebody's program, run as `__main__` as the interpreter itself would run it."""

from __future__ import annotations

import builtins
import importlib.util
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib.machinery import ModuleSpec, SourceFileLoader
from types import CodeType, ModuleType, TracebackType

from paramedic.run.namesakes import own_modules

INTERRUPTED = 130  # what a shell reports for a program that was ended by Ctrl-C
CRASHED = 1


class Enough(BaseException):
    """Ends the program from inside, because nothing more is to be learned from it.

    Not an `Exception`, so that a program that carries on after errors ends nevertheless.
    """


@dataclass(frozen=True, slots=True)
class Program:
    """What to run: a script by its path or, with `is_module`, a module by its name. Where it is
    started, `folder`, and with which variables: a program may change both, and is run again with
    what it began with."""

    target: str
    arguments: Sequence[str] = ()
    is_module: bool = False
    folder: str = field(default_factory=os.getcwd)
    environment: Mapping[str, str] = field(
        default_factory=lambda: dict(os.environ), repr=False, compare=False
    )

    @property
    def name(self) -> str:
        """What to call it in a message."""
        return self.target


@dataclass(frozen=True, slots=True)
class Ending:
    """How a program ended.

    `code` is its exit code, `error` what it died of; `stopped` tells that we ended it.
    """

    code: int = 0
    error: BaseException | None = None
    stopped: str = ""

    @property
    def interrupted(self) -> bool:
        """Whether it was ended by Ctrl-C."""
        return isinstance(self.error, KeyboardInterrupt)


def check(program: Program) -> None:
    """Complain about a program that is not there, before anything is set up for it."""
    if not program.is_module and not os.path.isfile(program.target):
        raise FileNotFoundError(
            f"There is no script `{program.target}`. Give the path of a Python file, or a module "
            f"with -m."
        )


def execute(program: Program) -> Ending:
    """Run a program to its end. What it dies of is shown as the interpreter would show it."""
    with _as_main(program):
        try:
            module, code = _loaded(program)
            exec(code, module.__dict__)  # noqa: S102 - the user's own program is what is to run
        except Enough as stop:
            return Ending(stopped=str(stop))
        except SystemExit as leaving:
            return Ending(code=_exit_code(leaving.code))
        except BaseException as error:  # noqa: BLE001 - shown, and told in the exit code
            _show(error)
            code_of = INTERRUPTED if isinstance(error, KeyboardInterrupt) else CRASHED
            return Ending(code=code_of, error=error)
    return Ending()


@contextmanager
def _as_main(program: Program) -> Iterator[None]:
    """The program's own arguments, import path and hooks; what was there before comes back."""
    before = sys.argv, list(sys.path), sys.modules["__main__"], sys.excepthook
    folder = os.getcwd() if program.is_module else _folder(program.target)
    sys.argv = [program.target, *program.arguments]
    if not sys.flags.safe_path:
        sys.path[:] = [folder, *sys.path[1:]]
    sys.excepthook = sys.__excepthook__
    try:
        with own_modules(folder):
            yield
    finally:
        main = sys.modules["__main__"]
        sys.argv, sys.path[:], sys.modules["__main__"], sys.excepthook = before
        _kept.append(main)  # threads and exit handlers of the program may still need it


_kept: list[ModuleType] = []


def _folder(script: str) -> str:
    return os.path.dirname(os.path.realpath(script))


def _loaded(program: Program) -> tuple[ModuleType, CodeType]:
    module = ModuleType("__main__")
    module.__dict__["__builtins__"] = builtins
    if program.is_module:
        spec = _spec(program.target)
        code = _code(spec)
        module.__spec__, module.__package__ = spec, spec.parent
        module.__loader__, module.__file__ = spec.loader, spec.origin
        module.__dict__["__cached__"] = spec.cached
        sys.argv[0] = spec.origin or program.target
    else:
        path = os.path.join(os.getcwd(), program.target)
        with open(path, "rb") as file:
            code = compile(file.read(), path, "exec", dont_inherit=True)
        module.__loader__, module.__file__ = SourceFileLoader("__main__", path), path
        module.__dict__["__cached__"] = None
    sys.modules["__main__"] = module
    return module, code


def _spec(name: str) -> ModuleSpec:
    spec = importlib.util.find_spec(name)
    if spec is not None and spec.submodule_search_locations is not None:
        spec = importlib.util.find_spec(f"{name}.__main__")
    if spec is None or spec.loader is None:
        raise ImportError(f"No module named {name} that can be run", name=name)
    return spec


def _code(spec: ModuleSpec) -> CodeType:
    get_code = getattr(spec.loader, "get_code", None)
    code = None if get_code is None else get_code(spec.name)
    if not isinstance(code, CodeType):
        raise ImportError(f"No code object available for {spec.name}", name=spec.name)
    return code


def _exit_code(given: object) -> int:
    """What `sys.exit(given)` means: nothing and numbers are codes, all else is a message."""
    if given is None:
        return 0
    if isinstance(given, int):
        return int(given) & 0xFF
    sys.stdout.flush()
    sys.stderr.write(f"{given}\n")
    return 1


def _show(error: BaseException) -> None:
    """As the interpreter does, by the hook of the program if it has one; our frames left out."""
    sys.stdout.flush()
    trace = _without_us(error.__traceback__)
    sys.excepthook(type(error), error.with_traceback(trace), trace)


def _without_us(trace: TracebackType | None) -> TracebackType | None:
    """The traceback from the program's first frame on; none for an error of its syntax."""
    while trace is not None and trace.tb_frame.f_code.co_filename == __file__:
        trace = trace.tb_next
    return trace
