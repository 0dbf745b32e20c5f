"""Loads the user's own code, by the name of a module or by its file."""

from __future__ import annotations

import importlib
import importlib.util
import sys
from pathlib import Path
from types import ModuleType


def module_of(place: str) -> ModuleType:
    """A module by its name or by its file; its neighbours can be imported from it, as in a run."""
    path = Path(place)
    is_file = path.suffix == ".py"
    folder = path.parent if is_file else Path.cwd()
    sys.path.insert(0, str(folder.resolve()))
    try:
        return _loaded(path) if is_file else importlib.import_module(place)
    except (ImportError, OSError):
        raise
    except Exception as error:  # the user's code may raise anything
        raise ValueError(f"`{place}` raised {type(error).__name__}: {error}") from error


def _loaded(path: Path) -> ModuleType:
    if not path.is_file():
        raise FileNotFoundError(f"There is no file `{path}`.")
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module  # dataclasses and pickles look their module up by its name
    spec.loader.exec_module(module)
    return module
