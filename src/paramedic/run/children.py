"""Processes that the program starts: they are not watched, but it is known whether they train.

A child that takes a step of an optimizer leaves a mark, a file named by its number, in a folder
of the run. A forked child inherits the hook for that; one that is started anew is given it with
the function that it is to run. This module is imported there: it must not import torch.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import shutil
import sys
from collections.abc import Callable
from importlib.machinery import PathFinder
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any

from paramedic.run.imports import AfterImport
from paramedic.run.patching import Function, Patches
from paramedic.run.recordings import home

_LOADERS = "torch.utils.data"  # whose workers do not train


class Children:
    """Knows how many children trained, between `open` and `close`."""

    def __init__(self) -> None:
        self._folder: str | None = None
        self._process = os.getpid()

    def open(self, patches: Patches) -> None:
        """Start to look out for children."""
        with contextlib.suppress(OSError, RuntimeError):  # there is no place for it
            # Made by the first child that trains: a program that never returns leaves nothing.
            self._folder = str(home().with_name(f"children-{os.urandom(8).hex()}"))
            patches.wrap(BaseProcess, "start", self._starter)

    def in_child(self) -> None:
        """This process has just been forked."""
        if self._folder is not None:
            leave_mark_at_step(self._folder)

    def close(self) -> int:
        """How many trained."""
        folder, self._folder = self._folder, None
        if folder is None or self._process != os.getpid():
            return 0
        count = len(os.listdir(folder)) if os.path.isdir(folder) else 0
        shutil.rmtree(folder, ignore_errors=True)
        return count

    def _starter(self, original: Function) -> Function:
        def start(process: Any) -> Any:
            target = process._target
            if self._folder is None or not _is_started_anew(process, target):
                return original(process)
            process._target = Marked(target, self._folder)
            try:
                return original(process)
            finally:
                process._target = target

        return start


class Marked:
    """A function for a child that is started anew; the child leaves a mark when it trains."""

    def __init__(self, target: Callable[..., Any], folder: str) -> None:
        self._target, self._folder = target, folder

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        leave_mark_at_step(self._folder)
        return self._target(*args, **kwargs)


def _is_started_anew(process: Any, target: Any) -> bool:
    """Whether a child has nothing of this process, and can import what it is given."""
    if not callable(target) or str(getattr(target, "__module__", "")).startswith(_LOADERS):
        return False
    how = getattr(process, "_start_method", None) or multiprocessing.get_start_method()
    if how not in ("spawn", "forkserver"):
        return False
    executable = os.fsdecode(multiprocessing.spawn.get_executable() or b"")
    return executable == sys.executable and PathFinder.find_spec("paramedic") is not None


def leave_mark_at_step(folder: str) -> None:
    """Once an optimizer steps in this process, there is a file of its number."""

    def watch() -> None:
        from torch.optim.optimizer import register_optimizer_step_pre_hook

        def on_step(optimizer: Any, args: Any, kwargs: Any) -> None:
            handle.remove()
            with contextlib.suppress(OSError):  # the run may be over, and its folder gone
                os.makedirs(folder, mode=0o700, exist_ok=True)
                Path(folder, str(os.getpid())).touch()

        handle = register_optimizer_step_pre_hook(on_step)

    with contextlib.suppress(ImportError):
        AfterImport("torch", watch).install()


def sentence(count: int) -> str:
    """What to say of children that trained."""
    processes = (
        "1 child process trained and was"
        if count == 1
        else (f"{count} child processes trained and were")
    )
    return (
        f"{processes} not watched: only the process that `paramedic run` starts is. Train in "
        f"one process, or call `paramedic.watch` in the function that the children run."
    )
