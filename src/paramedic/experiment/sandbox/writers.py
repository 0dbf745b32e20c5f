"""Functions in C that write a file by its name and that Python is not told of.

With the kernel's help they are refused anyway; without it they are asked here, once their module
is imported. A library that is not in the table is not seen: that is the limit of the guard alone.
This file is also loaded by itself: it imports nothing of ours.
"""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Callable, Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

# Of each module: the functions, the place of the name of the file among their arguments, and the
# mode that they have by default.
WRITERS: dict[str, dict[str, tuple[int, str]]] = {
    "torch._C": {"PyTorchFileWriter": (0, "w")},
    "torch.jit._serialization": {"save": (1, "w")},
    "safetensors._safetensors_rust": {"serialize_file": (1, "w")},
    "h5py._hl.files": {"File": (0, "r")},
    "pyarrow.lib": {"OSFile": (0, "r")},
    "pyarrow.parquet.core": {"ParquetWriter": (0, "w"), "write_table": (1, "w")},
    "cv2": {"imwrite": (0, "w"), "VideoWriter": (0, "w")},
    "soundfile": {"write": (0, "w")},
}
_READS = ("r", "rb")


class AskingWriters(MetaPathFinder):
    """Puts a question before each of them: `ask` raises to refuse."""

    def __init__(self, ask: Callable[[Any], None]) -> None:
        self._ask = ask

    def install(self) -> None:
        """For what is imported, and what will be."""
        for name in WRITERS:
            if name in sys.modules:
                self._wrap(sys.modules[name])
        sys.meta_path.insert(0, self)

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """What the other finders find, with a loader that wraps what it has loaded."""
        if fullname not in WRITERS:
            return None
        for finder in sys.meta_path:
            spec = None if finder is self else finder.find_spec(fullname, path, target)
            if spec is not None and spec.loader is not None:
                with contextlib.suppress(AttributeError, TypeError):
                    self._follow(spec.loader)
                return spec
        return None

    def _follow(self, loader: Any) -> None:
        original = loader.exec_module

        def exec_module(module: ModuleType) -> None:
            original(module)
            self._wrap(module)

        loader.exec_module = exec_module

    def _wrap(self, module: ModuleType) -> None:
        for name, (place, mode) in WRITERS[module.__name__].items():
            original = getattr(module, name, None)
            if isinstance(original, type):
                setattr(module, name, self._class(original, place, mode))
            elif original is not None:
                setattr(module, name, self._function(original, place, mode))

    def _function(self, original: Callable[..., Any], place: int, mode: str) -> Callable[..., Any]:
        def asked(*arguments: Any, **named: Any) -> Any:
            self._look(arguments, named, place, mode)
            return original(*arguments, **named)

        return asked

    def _class(self, original: type, place: int, mode: str) -> type:
        def asked(made: Any, *arguments: Any, **named: Any) -> None:
            self._look(arguments, named, place, mode)
            original.__init__(made, *arguments, **named)  # type: ignore[misc]

        return type(original.__name__, (original,), {"__init__": asked})

    def _look(self, arguments: Sequence[Any], named: dict[str, Any], place: int, mode: str) -> None:
        mode = named.get("mode") or next(iter(arguments[place + 1 : place + 2]), mode)
        given = next(iter([*arguments[place : place + 1], *named.values()]), None)
        if mode not in _READS and isinstance(given, str | bytes | os.PathLike):
            self._ask(given)
