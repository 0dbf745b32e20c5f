"""Which faults there are, and how a user chooses and sets them.

They are found by walking `inject/faults`: adding one touches no other file.
"""

from __future__ import annotations

import importlib
import inspect
import pkgutil
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields
from difflib import get_close_matches
from functools import cache
from typing import Any

from paramedic.inject import faults as folder
from paramedic.inject.fault import Fault, InjectionError


@cache
def faults() -> tuple[type[Fault], ...]:
    """All faults, in the order of their names."""
    found = []
    for entry in pkgutil.iter_modules(folder.__path__):
        module = importlib.import_module(f"{folder.__name__}.{entry.name}")
        found += [kind for kind in vars(module).values() if _is_fault(kind, module.__name__)]
    return tuple(sorted(found, key=lambda kind: kind.slug))


def _is_fault(kind: Any, module: str) -> bool:
    own = inspect.isclass(kind) and issubclass(kind, Fault) and kind.__module__ == module
    return own and not inspect.isabstract(kind)


def find(name: str) -> type[Fault]:
    """A fault by its name or by another name for it."""
    names = {word: kind for kind in faults() for word in (kind.slug, *kind.aliases)}
    if name not in names:
        raise InjectionError(f"There is no fault `{name}`{nearest(name, names)}.")
    return names[name]


def choose(names: Sequence[str], settings: Mapping[str, Any]) -> tuple[Fault, ...]:
    """The faults of these names; a setting goes to each of them that has it."""
    kinds = [find(name) for name in names]
    if not kinds:
        raise InjectionError("Name at least one fault.")
    for place, kind in enumerate(kinds):
        if kind in kinds[:place]:
            raise InjectionError(f"The fault `{kind.slug}` is named twice.")
    known = {one.name for kind in kinds for one in fields(kind)}  # type: ignore[arg-type]
    for name in settings:
        if name not in known:
            slugs = ", ".join(f"`{kind.slug}`" for kind in kinds)
            raise InjectionError(f"{slugs} has no setting `{name}`{nearest(name, known)}.")
    return tuple(_configured(kind, settings) for kind in kinds)


def _configured(kind: type[Fault], settings: Mapping[str, Any]) -> Fault:
    given = {}
    for one in fields(kind):  # type: ignore[arg-type]
        if one.name in settings:
            given[one.name] = _converted(kind, one.name, settings[one.name], one.default)
    return kind(**given)


def _converted(kind: type[Fault], name: str, value: Any, default: Any) -> Any:
    if isinstance(default, tuple):
        value = (value,) if isinstance(value, str) else value
        if isinstance(value, Sequence) and all(isinstance(one, str) for one in value):
            return tuple(value)
    elif isinstance(default, float):
        if isinstance(value, int | float) and not isinstance(value, bool):
            return float(value)
    elif type(value) is type(default):
        return value
    wanted = "names" if isinstance(default, tuple) else type(default).__name__
    raise InjectionError(
        f"`{name}` of `{kind.slug}` must be of type {wanted} like its default {default!r} but got "
        f"{value!r}."
    )


def nearest(name: str, known: Iterable[str]) -> str:
    """A hint to the nearest name, or to all of them."""
    words = sorted(set(known) - {""})
    near = get_close_matches(name, words, n=1, cutoff=0.5)
    if near:
        return f" (did you mean `{near[0]}`?)"
    return f"; there are {', '.join(words)}" if words else "; there are none"
