"""How a program that was watched differs from the same program that was not."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from .harness import RUN, Ran

MEMORY = 50 * 2**20
_RULE = re.compile("─{60}$")
_FRAME = re.compile(r'  File "(.*)", line')
_BY_CHANCE = re.compile(
    r"(?<=/dev/shm/torch)[_\d]+|(?<=pymp-)\w{8}|(?<=listener-)\w{8}"
    r"|(?<=\b[IWE]\d{4} )[\d:.]+ \d+"  # a line of torch's log
)
_OURS = ("<Thread(paramedic", "paramedic")  # how the names of our threads begin


def differences(plain: Ran, seen: Ran, way: str) -> list[str]:
    """In words; none if the program has not noticed."""
    found = [
        *_of("exit code", plain.code, seen.code),
        *_of("end in time", not plain.late, not seen.late),
        *_of("stdout", plain.stdout, seen.stdout),
        *_of("stderr", _told(plain.stderr), _told(without_us(seen.stderr, way))),
        *_of("files", *(_unnumbered(one.files) for one in (plain, seen))),
        *_of("moments", sorted(plain.states), sorted(seen.states)),
        *_internal_errors(seen, way),
    ]
    for moment in plain.states.keys() & seen.states.keys():
        before, after = plain.states[moment], _cleaned(seen.states[moment], moment, way)
        before = {name: value for name, value in before.items() if name in after}
        for name in before:
            both = _common(name, _unnumbered(before[name]), _unnumbered(after[name]))
            found += _of(f"{name} at the {moment}", *both)
    return found


def memory(plain: Ran, seen: Ran, extra: int = 0) -> list[str]:
    """What it has taken more at its peak than it may, but for the `extra` of a new process."""
    more = seen.memory - plain.memory - extra
    return [f"memory: {more / 2**20:.0f} MB more"] if more > MEMORY else []


def without_us(stderr: str, way: str) -> str:
    """What the program has written. `paramedic run` tells findings in lines that begin with its
    name, and reports after a rule; the others tell nothing on stderr."""
    if way != RUN:
        return stderr
    kept, lines = [], iter(stderr.splitlines(keepends=True))
    line = next(lines, None)
    while line is not None:
        if _RULE.match(line):
            line = _after_report(lines)
            continue
        if not line.startswith("paramedic: "):
            kept.append(line)
        line = next(lines, None)
    return "".join(kept)


def _after_report(lines: Iterator[str]) -> str | None:
    """The first line after the report: its headline, of one line or more, and indented lines."""
    for line in lines:
        if line.rstrip().endswith("."):
            break
    for line in lines:
        if not line.startswith("  "):
            return line
    return None


def _told(stderr: str) -> str:
    """Without the frames of a traceback that are not the program's: hooks and wrappers are among
    those of torch."""
    kept, hidden = [], False
    for line in stderr.splitlines():
        frame = _FRAME.match(line)
        if frame is not None:
            hidden = not frame[1].startswith("FOLDER/work")
        elif not line.startswith("    "):
            hidden = False
        if not hidden:
            kept.append(line)
    return _unnumbered("\n".join(kept))


def _unnumbered(found: Any) -> Any:
    """Without what is another one in each process: its number, the time, names by chance."""
    if isinstance(found, dict):
        return {_unnumbered(key): _unnumbered(value) for key, value in found.items()}
    if isinstance(found, list):
        numbered = [_unnumbered(one) for one in found]
        return found if numbered == found else sorted(numbered)
    return _BY_CHANCE.sub("…", found) if isinstance(found, str) else found


def _internal_errors(seen: Ran, way: str) -> list[str]:
    told = seen.stderr if way == RUN else seen.log
    lines = [line for line in told.splitlines() if "switched off" in line]
    return [f"internal error: {line}" for line in lines]


def _cleaned(state: dict[str, Any], moment: str, way: str) -> dict[str, Any]:
    """Without what `paramedic run` may have while it is at work, which is nothing for `watch`."""
    if way != RUN:
        return state
    found = dict(state)
    found["descriptors"] = [one for one in state["descriptors"] if "FOLDER/paramedic" not in one]
    found["threads"] = [one for one in state["threads"] if not one[0].startswith(_OURS)]
    del found["system threads"]  # ours are among them
    if moment == "end":
        del found["ours"], found["imports"]
    else:
        del found["program"], found["hooks"]
    return found


def _common(name: str, before: Any, after: Any) -> tuple[Any, Any]:
    """A library that the program does not use may be used by us."""
    if not isinstance(before, dict) or not isinstance(after, dict):
        return before, after
    common = before.keys() & after.keys() if name == "random" else before.keys() | after.keys()
    changed = [one for one in sorted(common) if before.get(one) != after.get(one)]
    return {one: before.get(one) for one in changed}, {one: after.get(one) for one in changed}


def _of(what: str, before: Any, after: Any) -> list[str]:
    if before == after:
        return []
    if isinstance(before, str):
        before, after = _first_difference(before, after)
    elif isinstance(before, dict):
        keys = [key for key in {**before, **after} if before.get(key) != after.get(key)]
        before = {key: before.get(key) for key in keys}
        after = {key: after.get(key) for key in keys}
    return [f"{what}: {before!r} became {after!r}"]


def _first_difference(before: str, after: str) -> tuple[str, str]:
    left, right = before.splitlines(), after.splitlines()
    place = 0
    while place < min(len(left), len(right)) and left[place] == right[place]:
        place += 1
    return "\n".join(left[place : place + 3]), "\n".join(right[place : place + 3])
