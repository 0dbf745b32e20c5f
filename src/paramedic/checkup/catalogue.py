"""Which checks there are, and how a caller chooses among them."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
from collections.abc import Iterable
from difflib import get_close_matches
from functools import cache

from paramedic.checkup import checks as ours
from paramedic.checkup.check import Check


@cache
def checks() -> tuple[type[Check], ...]:
    """All checks, in the order of their codes."""
    found = []
    for module in pkgutil.iter_modules(ours.__path__):
        loaded = importlib.import_module(f"{ours.__name__}.{module.name}")
        found += [kind for kind in vars(loaded).values() if _is_check(kind, loaded.__name__)]
    return tuple(sorted(found, key=lambda kind: kind.code))


def choose(select: Iterable[str] = (), ignore: Iterable[str] = ()) -> tuple[Check, ...]:
    """The checks to run, by code or slug: all, or only `select`, without `ignore`."""
    wanted = {_named(name) for name in select} or set(checks())
    wanted -= {_named(name) for name in ignore}
    if not wanted:
        raise ValueError("No check is left: `ignore` names all that were selected.")
    return tuple(kind() for kind in checks() if kind in wanted)


def _named(name: str) -> type[Check]:
    for kind in checks():
        if name.lower() in (kind.code.lower(), kind.slug):
            return kind
    names = [word for kind in checks() for word in (kind.code, kind.slug)]
    near = get_close_matches(name, names, n=1, cutoff=0.5)
    hint = f"did you mean `{near[0]}`?" if near else f"there are {', '.join(names[1::2])}."
    raise ValueError(f"There is no check `{name}`; {hint}")


def _is_check(value: object, module: str) -> bool:
    return (
        inspect.isclass(value)
        and issubclass(value, Check)
        and not inspect.isabstract(value)
        and value.__module__ == module
    )
