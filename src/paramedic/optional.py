"""Optional dependencies: what to say when one is missing."""

from __future__ import annotations

import importlib
from types import ModuleType


def require(module: str, *, extra: str, needed_by: str) -> ModuleType:
    """Import `module`, or say which extra brings it."""
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise ImportError(
            f"`{needed_by}` needs `{module}`, which could not be imported ({error}). "
            f"Install it with `pip install 'paramedic[{extra}]'`."
        ) from error
