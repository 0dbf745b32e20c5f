"""Being called right after a package is imported, without importing it before the program does.

A program may set environment variables, or threads, before it imports torch; importing torch in
its place would make them come too late.
"""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType

from paramedic.probe.isolation import isolated


class AfterImport(MetaPathFinder):
    """Calls `then` once `package` has been imported; at once if it is there already.

    A spec alone is no import: libraries ask `importlib.util.find_spec` whether a package is
    installed. It stays in place until the module of such a spec has really been executed.
    """

    def __init__(self, package: str, then: Callable[[], None]) -> None:
        self._package, self._then = package, then
        self._followed: list[object] = []  # loaders that carry our mark

    def install(self) -> None:
        """Start to wait."""
        if self._package in sys.modules:
            with isolated("imports"):
                self._then()
        else:
            sys.meta_path.insert(0, self)

    def remove(self) -> None:
        """Wait no more, and take our marks off the loaders."""
        if self in sys.meta_path:
            sys.meta_path.remove(self)
        for loader in self._followed:
            vars(loader).pop("exec_module", None)
        self._followed.clear()

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """What the other finders find, with a loader that calls us when it is done."""
        if fullname != self._package:
            return None
        for finder in sys.meta_path:
            if isinstance(finder, AfterImport):  # waits for another package, or is this one
                continue
            spec = finder.find_spec(fullname, path, target)
            if spec is not None:
                with isolated("imports"), contextlib.suppress(AttributeError, TypeError):
                    self._follow(spec.loader)  # unless it is of another kind
                return spec
        return None

    def _follow(self, loader: object) -> None:
        """The mark is on this one loader, and goes as soon as the package is there."""
        if any(loader is one for one in self._followed):
            return
        original: Callable[[ModuleType], None] = loader.exec_module  # type: ignore[attr-defined]

        def exec_module(module: ModuleType) -> None:
            original(module)
            with isolated("imports"):
                if module.__name__ == self._package and self in sys.meta_path:
                    self.remove()
                    self._then()

        loader.exec_module = exec_module  # type: ignore[attr-defined]
        self._followed.append(loader)
