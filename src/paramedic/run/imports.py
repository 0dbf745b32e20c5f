"""Being called right after somebody imports a package, without importing it before they do.

A program may set environment variables, or threads, before it imports torch; importing torch in
its place would make them come too late.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType


class AfterImport(MetaPathFinder):
    """Calls `then` once `package` has been imported; at once if it is there already."""

    def __init__(self, package: str, then: Callable[[], None]) -> None:
        self._package, self._then = package, then

    def install(self) -> None:
        """Start to wait."""
        if self._package in sys.modules:
            self._then()
        else:
            sys.meta_path.insert(0, self)

    def remove(self) -> None:
        """Wait no more."""
        if self in sys.meta_path:
            sys.meta_path.remove(self)

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """What the other finders find, with a loader that tells us when it is done."""
        if fullname != self._package:
            return None
        self.remove()
        for finder in sys.meta_path:
            spec = finder.find_spec(fullname, path, target)
            if spec is not None and spec.loader is not None:
                self._follow(spec.loader)
                return spec
        return None

    def _follow(self, loader: object) -> None:
        """The mark is on this one loader, and goes as soon as it has been used."""
        original: Callable[[ModuleType], None] = loader.exec_module  # type: ignore[attr-defined]

        def exec_module(module: ModuleType) -> None:
            del loader.exec_module  # type: ignore[attr-defined]
            original(module)
            self._then()

        loader.exec_module = exec_module  # type: ignore[attr-defined]
