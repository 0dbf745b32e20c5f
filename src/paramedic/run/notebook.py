"""Where in the user's source modules and optimizers were made, and which of them are alive.

Nothing is stored in the objects themselves: they are pickled, copied and compared as without us.
"""

from __future__ import annotations

import gc
import weakref
from collections.abc import Callable, Iterator
from typing import Any

from torch import nn
from torch.optim import Optimizer

from paramedic.probe.compiler import never_traced
from paramedic.run.patching import Function, Patches
from paramedic.run.places import Place, caller

_Entry = tuple["weakref.ref[Any]", Place | None]


class Notebook:
    """Notes each module and optimizer as it is made; `on_optimizer` is told of the latter."""

    def __init__(self, on_optimizer: Callable[[], None]) -> None:
        self._modules: dict[int, _Entry] = {}
        self._optimizers: dict[int, _Entry] = {}
        self._evaluating: dict[int, Place | None] = {}
        self._on_optimizer = on_optimizer

    def open(self, patches: Patches) -> None:
        """Start to note."""
        patches.wrap(nn.Module, "__init__", self._module_maker)
        patches.wrap(nn.Module, "train", self._mode_setter)
        patches.wrap(Optimizer, "__init__", self._optimizer_maker)

    # -- what is asked -----------------------------------------------------------------------

    def place(self, made: object) -> Place | None:
        """Where a module or an optimizer was made; None if nobody saw it."""
        entry = self._modules.get(id(made)) or self._optimizers.get(id(made))
        return entry[1] if entry is not None and entry[0]() is made else None

    def evaluated_at(self, module: nn.Module) -> Place | None:
        """The line that last put a module into evaluation mode."""
        return self._evaluating.get(id(module))

    def optimizers(self) -> list[Optimizer]:
        """Those that are alive, oldest first."""
        return list(_alive(self._optimizers))

    def modules(self) -> list[nn.Module]:
        """Those that are alive, oldest first."""
        return list(_alive(self._modules))

    def all_modules(self) -> list[nn.Module]:
        """All modules of the process, also copies and what was read from a file. Slow."""
        return [one for one in gc.get_objects() if issubclass(type(one), nn.Module)]

    # -- what is noted -----------------------------------------------------------------------

    def _module_maker(self, original: Function) -> Function:
        @never_traced
        def __init__(module: nn.Module, *args: Any, **kwargs: Any) -> None:
            original(module, *args, **kwargs)
            self._modules[id(module)] = (weakref.ref(module), caller(constructed=module))

        return __init__

    def _optimizer_maker(self, original: Function) -> Function:
        def __init__(optimizer: Optimizer, *args: Any, **kwargs: Any) -> None:
            original(optimizer, *args, **kwargs)
            self.note_optimizer(optimizer, caller(constructed=optimizer))

        return __init__

    def note_optimizer(self, optimizer: Optimizer, place: Place | None) -> None:
        """There is an optimizer, made at this line."""
        known = self.place(optimizer)
        self._optimizers[id(optimizer)] = (weakref.ref(optimizer), place or known)
        self._on_optimizer()

    def _mode_setter(self, original: Function) -> Function:
        def train(module: nn.Module, mode: bool = True) -> Any:
            if not mode and id(module) not in self._evaluating:
                self._evaluating[id(module)] = caller()
            elif mode:
                self._evaluating.pop(id(module), None)
            return original(module, mode)

        return train


def _alive(entries: dict[int, _Entry]) -> Iterator[Any]:
    for reference, _ in list(entries.values()):
        found = reference()
        if found is not None:
            yield found
