"""Which detectors there are, and how a user chooses and sets them.

Ours are found by walking `diagnose/detectors`, those of others by the entry-point group
`paramedic.detectors`, those of the reference rule sets in the module of that name.
"""

from __future__ import annotations

import importlib
import inspect
import logging
import pkgutil
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import fields, is_dataclass, replace
from difflib import get_close_matches
from functools import cache
from importlib.metadata import entry_points
from types import ModuleType
from typing import Any

from paramedic.diagnose import detectors as ours
from paramedic.diagnose import reference
from paramedic.diagnose.detector import Detector

_log = logging.getLogger("paramedic")

DEFAULT = "default"
GROUP = "paramedic.detectors"


class RuleError(ValueError):
    """A rule, a rule set or a threshold that does not exist, or a value that cannot be."""


def rule_sets() -> tuple[str, ...]:
    """The names of all rule sets: ours first."""
    names = sorted(module.name for module in pkgutil.iter_modules(reference.__path__))
    return (DEFAULT, *(name.replace("_", "-") for name in names if not name.startswith("_")))


def rules(name: str = DEFAULT) -> tuple[type[Detector], ...]:
    """The detectors of a rule set, in the order of their codes."""
    if name not in rule_sets():
        raise RuleError(f"There is no rule set `{name}`{_hint(name, rule_sets())}.")
    found = _default() if name == DEFAULT else _reference(name)
    return _unique(found)


def choose(
    name: str = DEFAULT,
    *,
    select: Iterable[str] = (),
    ignore: Iterable[str] = (),
    settings: Mapping[str, Mapping[str, Any]] | None = None,
) -> tuple[Detector, ...]:
    """The detectors of a rule set, ready to use.

    `select` and `ignore` name detectors by code, slug or the first letters of a code (`G` for the
    whole family); `settings` gives thresholds: `{"G001": {"ratio": 1e-4}}`.
    """
    known = rules(name)
    wanted = _matching(select, known) if select else set(known)
    wanted -= _matching(ignore, known)
    given = _settings(settings or {}, known)
    return tuple(_configured(kind, given.get(kind, {})) for kind in known if kind in wanted)


def find(name: str) -> type[Detector]:
    """A detector by code or slug, of any rule set."""
    everything = [kind for one in rule_sets() for kind in rules(one)]
    for kind in everything:
        if name.lower() in (kind.code.lower(), kind.slug):
            return kind
    names = [word for kind in everything for word in (kind.code, kind.slug)]
    raise RuleError(f"There is no detector `{name}`{_hint(name, names)}.")


@cache
def _default() -> tuple[type[Detector], ...]:
    modules = (
        importlib.import_module(f"{ours.__name__}.{module.name}")
        for module in pkgutil.iter_modules(ours.__path__)
    )
    own = (kind for module in modules for kind in _detectors_in(module))
    return (*own, *_theirs())


def _theirs() -> Iterator[type[Detector]]:
    for entry in entry_points(group=GROUP):
        try:
            loaded = entry.load()
        except Exception as error:  # noqa: BLE001 - somebody's broken package is not the user's
            _log.warning("The detectors of `%s` do not load: %s.", entry.value, error)
            continue
        found = _detectors_in(loaded) if isinstance(loaded, ModuleType) else [loaded]
        for kind in found:
            if not (inspect.isclass(kind) and issubclass(kind, Detector) and is_dataclass(kind)):
                raise RuleError(
                    f"The entry point `{entry.name}` of `{GROUP}` gives {kind!r}, which is not a "
                    "Detector made a dataclass."
                )
            yield kind


@cache
def _reference(name: str) -> tuple[type[Detector], ...]:
    module = importlib.import_module(f"{reference.__name__}.{name.replace('-', '_')}")
    return tuple(_detectors_in(module))


def _detectors_in(module: ModuleType) -> list[type[Detector]]:
    return [
        kind
        for kind in vars(module).values()
        if inspect.isclass(kind)
        and issubclass(kind, Detector)
        and not inspect.isabstract(kind)
        and kind.__module__ == module.__name__
    ]


def _unique(found: Iterable[type[Detector]]) -> tuple[type[Detector], ...]:
    by_code: dict[str, type[Detector]] = {}
    for kind in found:
        other = by_code.setdefault(kind.code, kind)
        if other is not kind:
            raise RuleError(f"Two detectors have the code {kind.code}: {other!r} and {kind!r}.")
    return tuple(by_code[code] for code in sorted(by_code))


def _matching(names: Iterable[str], known: Iterable[type[Detector]]) -> set[type[Detector]]:
    found = set()
    for name in names:
        hits = {kind for kind in known if _is_named(kind, name)}
        if not hits:
            words = [word for kind in known for word in (kind.code, kind.slug)]
            raise RuleError(f"No detector is called `{name}`{_hint(name, words)}.")
        found |= hits
    return found


def _is_named(kind: type[Detector], name: str) -> bool:
    return kind.slug == name or (bool(name) and kind.code.lower().startswith(name.lower()))


def _settings(
    settings: Mapping[str, Mapping[str, Any]], known: tuple[type[Detector], ...]
) -> dict[type[Detector], dict[str, Any]]:
    given: dict[type[Detector], dict[str, Any]] = {}
    for name, values in settings.items():
        kinds = [kind for kind in known if name.lower() in (kind.code.lower(), kind.slug)]
        if not kinds:
            words = [word for kind in known for word in (kind.code, kind.slug)]
            raise RuleError(f"No detector is called `{name}`{_hint(name, words)}.")
        given.setdefault(kinds[0], {}).update(values)
    return given


def _configured(kind: type[Detector], values: Mapping[str, Any]) -> Detector:
    detector = kind()
    defaults = {one.name: getattr(detector, one.name) for one in fields(detector)}  # type: ignore[arg-type]
    checked = {}
    for name, value in values.items():
        if name not in defaults:
            raise RuleError(
                f"{kind.code} ({kind.slug}) has no threshold `{name}`{_hint(name, defaults)}."
            )
        checked[name] = _converted(kind, name, value, defaults[name])
    return replace(detector, **checked)  # type: ignore[type-var]


def _converted(kind: type[Detector], name: str, value: Any, default: Any) -> Any:
    wanted = type(default)
    fits = type(value) is wanted or (wanted is float and type(value) is int)
    if not fits:
        raise RuleError(
            f"`{kind.code}.{name}` must be of type {wanted.__name__} like its default {default!r} "
            f"but got {value!r}."
        )
    return wanted(value)


def _hint(name: str, known: Iterable[str]) -> str:
    """The nearest name, or all of them if there are few."""
    words = sorted(set(known))
    near = get_close_matches(name, words, n=1, cutoff=0.5) or get_close_matches(
        name.upper(), words, n=1, cutoff=0.5
    )
    if near:
        return f" (did you mean `{near[0]}`?)"
    return f"; there are {', '.join(words)}" if len(words) <= 12 else ""
