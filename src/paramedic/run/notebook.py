"""Where in the user's source modules and optimizers were made, and which of them are alive.

Nothing is stored in the objects themselves: they are pickled, copied and compared as without us.
"""

from __future__ import annotations

import gc
import threading
import weakref
from collections.abc import Callable, Iterator
from typing import Any

from torch import nn
from torch.optim import Optimizer

from paramedic.probe.compiler import never_traced
from paramedic.probe.isolation import tell
from paramedic.run.patching import Function, Patches
from paramedic.run.places import Place, caller

_Entry = tuple["weakref.ref[Any]", Place | None]
_NO_LINE = Place("", 0)


class _Line(threading.local):
    """By which this thread changes a mode."""

    now: Place | None = _NO_LINE


class Notebook:
    """Notes each module and optimizer as it is made; `on_optimizer` is told of the latter."""

    def __init__(self, on_optimizer: Callable[[], None]) -> None:
        self._modules: dict[int, _Entry] = {}
        self._optimizers: dict[int, _Entry] = {}
        self._evaluated: dict[int, _Entry] = {}
        self._line = _Line()
        self._threads: dict[int, int] = {}  # where optimizers were made
        self._struck: dict[int, _Entry] = {}
        self._on_optimizer = on_optimizer
        self._has_failed = False

    def open(self, patches: Patches) -> None:
        """Start to note."""
        patches.wrap(nn.Module, "__init__", self._module_maker)
        patches.wrap(nn.Module, "__setstate__", self._module_copier)
        patches.wrap(nn.Module, "train", self._mode_setter)
        patches.wrap(Optimizer, "__init__", self._optimizer_maker)

    # -- what is asked -----------------------------------------------------------------------

    def place(self, made: object) -> Place | None:
        """Where a module or an optimizer was made; None if nobody saw it."""
        entry = self._modules.get(id(made)) or self._optimizers.get(id(made))
        return entry[1] if entry is not None and entry[0]() is made else None

    def evaluated_at(self, module: nn.Module) -> Place | None:
        """The line that last took a module from training into evaluation mode."""
        entry = self._evaluated.get(id(module))
        return entry[1] if entry is not None and entry[0]() is module else None

    def optimizers(self) -> list[Optimizer]:
        """Those that are alive, oldest first."""
        list(_alive(self._struck))  # those that are not are let go of
        found = list(_alive(self._optimizers))
        for key in self._threads.keys() - {id(one) for one in found}:
            self._threads.pop(key, None)
        return found

    def is_ours(self, optimizer: Optimizer) -> bool:
        """Whether an optimizer was made in this thread."""
        return self._threads.get(id(optimizer)) == threading.get_ident()

    def modules(self) -> list[nn.Module]:
        """Those that are alive, oldest first."""
        return list(_alive(self._modules))

    def all_modules(self) -> list[nn.Module]:
        """All modules of the process, however they were made. Slow."""
        return [one for one in gc.get_objects() if issubclass(type(one), nn.Module)]

    # -- what is noted -----------------------------------------------------------------------

    def _failed(self, error: Exception) -> None:
        if not self._has_failed:
            self._has_failed = True
            tell("lines", error)

    def _module_maker(self, original: Function) -> Function:
        @never_traced
        def __init__(module: nn.Module, *args: Any, **kwargs: Any) -> None:
            original(module, *args, **kwargs)
            try:
                self._modules[id(module)] = (weakref.ref(module), caller(constructed=module))
            except Exception as error:  # noqa: BLE001 - the user's run must survive any of ours
                self._failed(error)

        return __init__

    def _module_copier(self, original: Function) -> Function:
        """Copies, and what is read from a file, are made without `__init__` and have no line."""

        def __setstate__(module: nn.Module, state: Any) -> None:
            original(module, state)
            self._modules[id(module)] = (weakref.ref(module), None)

        return __setstate__

    def _optimizer_maker(self, original: Function) -> Function:
        def __init__(optimizer: Optimizer, *args: Any, **kwargs: Any) -> None:
            original(optimizer, *args, **kwargs)
            try:
                self.note_optimizer(optimizer, caller(constructed=optimizer))
            except Exception as error:  # noqa: BLE001 - the user's run must survive any of ours
                self._failed(error)

        return __init__

    def note_optimizer(self, optimizer: Optimizer, place: Place | None) -> None:
        """There is an optimizer, made at this line."""
        known = self.place(optimizer)
        self._optimizers[id(optimizer)] = (weakref.ref(optimizer), place or known)
        self._threads[id(optimizer)] = threading.get_ident()
        self._on_optimizer()

    def strike(self, optimizer: Optimizer) -> None:
        """Forget an optimizer that is still alive: its training is over."""
        entry = self._optimizers.pop(id(optimizer), None)
        if entry is not None:
            self._struck[id(optimizer)] = entry

    def revive(self, optimizer: Optimizer) -> None:
        """It steps: if its training was over, it goes on."""
        entry = self._struck.pop(id(optimizer), None)
        if entry is not None and entry[0]() is optimizer:
            self.note_optimizer(optimizer, entry[1])

    def _mode_setter(self, original: Function) -> Function:
        """`train` calls itself for all parts of a module: the line is looked for once."""

        def train(module: nn.Module, mode: bool = True) -> Any:
            if mode or not getattr(module, "training", False):
                return original(module, mode)
            outermost = self._line.now is _NO_LINE
            try:
                if outermost:
                    self._line.now = caller()
                self._evaluated[id(module)] = (weakref.ref(module), self._line.now)
            except Exception as error:  # noqa: BLE001 - the user's run must survive any of ours
                self._failed(error)
            try:
                return original(module, mode)
            finally:
                if outermost:
                    self._line.now = _NO_LINE

        return train


def _alive(entries: dict[int, _Entry]) -> Iterator[Any]:
    for key, (reference, _) in list(entries.items()):
        found = reference()
        if found is not None:
            yield found
        else:  # else each search would take longer than the one before
            entries.pop(key, None)  # another thread may have been faster
