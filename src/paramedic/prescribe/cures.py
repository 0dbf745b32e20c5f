"""Which cures there are: found by walking `prescribe/remedies`, as detectors are."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
from functools import cache
from types import ModuleType

from paramedic.prescribe import remedies
from paramedic.prescribe.cure import Cure

# Problems that no cure of ours treats, and why that is right.
WITHOUT_CURE: dict[str, str] = {
    "too-good-to-be-true": "a note about a run that learns: whether something leaks, its data tell",
}


@cache
def cures() -> tuple[Cure, ...]:
    """One of each, in the order of their slugs."""
    modules = (
        importlib.import_module(f"{remedies.__name__}.{module.name}")
        for module in pkgutil.iter_modules(remedies.__path__)
    )
    found = [kind() for module in modules for kind in _cures_in(module)]
    return tuple(sorted(found, key=lambda cure: cure.slug))


def cures_for(problem: str) -> tuple[Cure, ...]:
    """Those that treat a problem."""
    return tuple(cure for cure in cures() if problem in cure.against)


def cure_named(slug: str) -> Cure:
    """The cure with a slug."""
    for cure in cures():
        if cure.slug == slug:
            return cure
    raise KeyError(f"There is no cure `{slug}`; there are {', '.join(c.slug for c in cures())}.")


def _cures_in(module: ModuleType) -> list[type[Cure]]:
    return [
        kind
        for kind in vars(module).values()
        if inspect.isclass(kind)
        and issubclass(kind, Cure)
        and not inspect.isabstract(kind)
        and kind.__module__ == module.__name__
    ]
