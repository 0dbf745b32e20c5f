"""Settings of a project: `[tool.paramedic]` in `pyproject.toml`, or `paramedic.toml`.

```toml
[tool.paramedic]
rules = "default"
select = ["G", "loss-plateau"]
ignore = ["T001"]

[tool.paramedic.G001]
ratio = 1e-4
```
"""

from __future__ import annotations

import logging
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from functools import lru_cache
from pathlib import Path
from typing import Any

from paramedic.diagnose.detector import Detector
from paramedic.diagnose.rules import DEFAULT, RuleError, choose, rule_sets, rules
from paramedic.reading import Unreadable, parse_toml, read_toml

logger = logging.getLogger("paramedic")

KEYS = ("rules", "select", "ignore")
_EXAMPLE = "write it as `G001.ratio=1e-4`"
Thresholds = Mapping[str, Mapping[str, Any]]


@dataclass(frozen=True, slots=True)
class Config:
    """Which detectors judge, and with which thresholds; `source` is the file that says so."""

    rules: str = DEFAULT
    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    thresholds: Thresholds = field(default_factory=dict)
    source: Path | None = None

    def merged(
        self,
        *,
        rules: str | None = None,
        select: Sequence[str] = (),
        ignore: Sequence[str] = (),
        thresholds: Thresholds | None = None,
    ) -> Config:
        """The same with what was asked for on the command line, which wins.

        A `select` given here stands in the place of `select` and `ignore` of the file; an
        `ignore` is added to it. Under another rule set than that of the file, its `select` and
        `ignore` mean nothing, and of its thresholds only those of that set count.
        """
        name = self.rules if rules is None else rules
        own = name == self.rules and not select
        return replace(
            self,
            rules=name,
            select=tuple(select) or (self.select if own else ()),
            ignore=(*(self.ignore if own else ()), *ignore),
            thresholds=_combined(name, self.thresholds, thresholds or {}),
        )

    def choose(
        self,
        *,
        rules: str | None = None,
        select: Sequence[str] = (),
        ignore: Sequence[str] = (),
        thresholds: Thresholds | None = None,
    ) -> tuple[Detector, ...]:
        """The detectors, ready to use; the arguments are those of `merged`."""
        final = self.merged(rules=rules, select=select, ignore=ignore, thresholds=thresholds)
        found = choose(
            final.rules, select=final.select, ignore=final.ignore, settings=final.thresholds
        )
        if not found:
            raise RuleError("No detector is left: `ignore` takes away all that `select` gives.")
        return found


def load(start: Path | None = None) -> Config:
    """The settings of the nearest file upwards from a directory; the defaults if there is none.

    In one directory `paramedic.toml` comes before `pyproject.toml`. A `pyproject.toml` that cannot
    be read is somebody else's, and ignored.
    """
    for folder in _upwards(start):
        own = folder / "paramedic.toml"
        if os.path.isfile(own):
            return _checked(own, _read(own), "")
        tool = _tools(folder / "pyproject.toml")
        if "paramedic" in tool:
            return _checked(folder / "pyproject.toml", tool["paramedic"], "tool.paramedic")
    return Config()


def _upwards(start: Path | None) -> tuple[Path, ...]:
    try:
        first = (Path.cwd() if start is None else start).absolute()
    except OSError:  # the working folder is gone
        return ()
    return (first, *first.parents)


def _tools(shared: Path) -> dict[str, Any]:
    if not os.path.isfile(shared):
        return {}
    try:
        tool = _read(shared).get("tool", {})
    except (RuleError, OSError, ValueError, RecursionError) as error:
        _say_ignored(shared, str(error).partition("\n")[0])
        return {}
    return tool if isinstance(tool, dict) else {}


@lru_cache(maxsize=64)  # once for each
def _say_ignored(file: Path, why: str) -> None:
    logger.warning("Paramedic ignores `%s`: %s", file, why)


def parse_setting(text: str) -> tuple[str, str, Any]:
    """`G001.ratio=1e-4` as detector, threshold and value; the value is written as in TOML."""
    name, equals, value = text.partition("=")
    detector, dot, threshold = name.strip().rpartition(".")
    if not (equals and dot and detector and threshold):
        raise RuleError(f"`{text}` is not a setting; {_EXAMPLE}.")
    try:
        parsed = parse_toml(f"value = {value.strip()}")
    except ValueError:
        parsed = {}
    found = parsed.get("value")
    if len(parsed) != 1 or not isinstance(found, bool | int | float | str):
        raise RuleError(
            f"`{value.strip()}` in `{text}` is not a value; numbers are written as 3 or 1e-4, "
            'truth as true or false, words in quotes ("relu").'
        )
    return detector, threshold, found


def parse_settings(texts: Iterable[str]) -> dict[str, dict[str, Any]]:
    """Several of them, by detector."""
    found: dict[str, dict[str, Any]] = {}
    for detector, threshold, value in map(parse_setting, texts):
        found.setdefault(detector, {})[threshold] = value
    return found


def _combined(name: str, of_file: Thresholds, given: Thresholds) -> dict[str, dict[str, Any]]:
    """By code, so that `G001` and `vanishing-gradient` meet; unknown ones of `given` stay."""
    codes = {word: kind.code for kind in rules(name) for word in (kind.code.lower(), kind.slug)}
    combined: dict[str, dict[str, Any]] = {}
    for detector, values in of_file.items():
        if detector.lower() in codes:
            combined.setdefault(codes[detector.lower()], {}).update(values)
    for detector, values in given.items():
        combined.setdefault(codes.get(detector.lower(), detector), {}).update(values)
    return combined


def _read(path: Path) -> dict[str, Any]:
    try:
        return read_toml(path)
    except Unreadable as error:
        raise RuleError(str(error)) from error


def _checked(path: Path, table: Any, at: str) -> Config:
    if not isinstance(table, dict):
        raise RuleError(f"`{path}`: `{at}` must be a table but is {table!r}.")
    where = f"{at}." if at else ""
    values: dict[str, Any] = {}
    thresholds: dict[str, dict[str, Any]] = {}
    for key, value in table.items():
        named = f"`{path}`: `{where}{key}`"
        if key in KEYS:
            values[key] = _option(named, key, value)
        else:
            thresholds[key] = _table(named, key, value)
    config = Config(thresholds=thresholds, source=path, **values)
    _check_names(config, f"`{path}`")
    return config


def _option(named: str, key: str, value: Any) -> Any:
    if key == "rules":
        if not isinstance(value, str):
            raise RuleError(f"{named} must be the name of a rule set but is {value!r}.")
        return value
    if not isinstance(value, list) or not all(isinstance(one, str) for one in value):
        raise RuleError(f'{named} must be a list of names like ["G001"] but is {value!r}.')
    return tuple(value)


def _table(named: str, key: str, value: Any) -> dict[str, Any]:
    """The thresholds of one detector, which must exist in some rule set."""
    sets = list(_sets_with(key))
    if not sets:
        raise RuleError(f"{named} is not known{_hint(key)}.")
    if not isinstance(value, dict):
        raise RuleError(f"{named} must be a table of thresholds but is {value!r}.")
    problems = []
    for name in sets:
        try:
            choose(name, settings={key: value})
        except RuleError as error:
            problems.append(error)
    if len(problems) == len(sets):
        raise RuleError(f"{named}: {problems[0]}") from problems[0]
    return value


def _check_names(config: Config, named: str) -> None:
    try:
        choose(config.rules, select=config.select, ignore=config.ignore)
    except RuleError as error:
        raise RuleError(f"{named}: {error}") from error


def _sets_with(name: str) -> Iterator[str]:
    for one in rule_sets():
        if any(name.lower() in (kind.code.lower(), kind.slug) for kind in rules(one)):
            yield one


def _hint(key: str) -> str:
    kinds = [kind for one in rule_sets() for kind in rules(one)]
    words = [*KEYS, *(word for kind in kinds for word in (kind.code, kind.slug))]
    near = get_close_matches(key, words, n=1, cutoff=0.5)
    if near:
        return f" (did you mean `{near[0]}`?)"
    return f"; the keys are {', '.join(KEYS)} and a table per detector, like [G001]"
