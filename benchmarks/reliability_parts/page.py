"""The page that is written of what was measured: words, and each figure beside its goal."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from reliability_parts.memory import NAMES

Part = dict[str, Any]
STALL, ANSWER, MEGABYTES = 50.0, 1.0, 50.0  # milliseconds, seconds, MB
PROGRAMS, WAYS = 60, 4
NOTE = "<!-- Written by `benchmarks/reliability.py`; edit that, not this. -->"
INTRODUCTION = """\
A tool that watches other people's work must not harm it: not the results, not the files, not the \
record. Here is how often that was tried, and what came of it. `make bench-reliability` repeats \
all of it; bounded forms of the same tests are part of `make test`."""
TITLES = {
    "kills": "Killed at any moment",
    "hiccups": "A disk that is locked or full for a while",
    "mutants": "Files of strangers",
    "server": "The live page under a crowd",
    "effects": "What is left of a patch that was tried",
    "memory": "Memory",
    "gate": "Programs that cannot tell that they are watched",
}
_ENDS = {"to its end": "at its end", "kill -9": "`kill -9`", "SIGTERM": "SIGTERM",
         "Ctrl-C": "Ctrl-C"}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Figure:
    """What was to be shown, in words; the goal and what was measured."""

    words: str
    goal: str
    measured: str
    met: bool | None  # None: not measured


def render(found: Part) -> str:
    """Markdown."""
    parts = {name: found[name] for name in TITLES if name in found}
    figures = [one for name, part in parts.items() for one in _figures(name, part)]
    missing = [f"`{name}`" for name in TITLES if name not in found]
    sections = [text for name, part in parts.items() for text in _section(name, part)]
    if missing:
        sections.append(
            f"Not measured yet: {', '.join(missing)} (`benchmarks/reliability.py --only …`)."
        )
    head = ["# How reliable it is", NOTE, INTRODUCTION]
    return "\n\n".join([*head, _table(figures), *sections, *_machine(parts)]) + "\n"


def _figures(name: str, part: Part) -> list[Figure]:
    if "skipped" in part:
        return [Figure(TITLES[name], "", f"not measured: {part['skipped']}", None)]
    return list(_MAKERS[name](part))


def _table(figures: list[Figure]) -> str:
    verdicts = {True: "**met**", False: "**missed**", None: ""}
    rows = [f"| {one.words} | {one.goal} | {one.measured} | {verdicts[one.met]} |"
            for one in figures]  # fmt: skip
    return "\n".join(["| what | goal | measured | verdict |", "| --- | --- | --- | --- |", *rows])


def _kills(part: Part) -> Iterator[Figure]:
    opened = part["traces"] - part["refused"]
    yield Figure(
        f"traces that open after {part['kills']} kills of processes that record",
        "all", f"{opened:,} of {part['traces']:,}", part["refused"] == 0,
    )  # fmt: skip


def _hiccups(part: Part) -> Iterator[Figure]:
    for kind in ("locked", "full"):
        one = part[kind]
        if "skipped" in one:
            yield Figure(f"a {kind} disk", "", f"not measured: {one['skipped']}", None)
            continue
        lost = one["lost_outside"]
        words = f"{kind} disk for {part['seconds']:g} s"
        yield Figure(
            f"{words}: frames and losses lost before and after it", "0",
            f"{lost} (and {one['lost_during']} during it)", lost == 0,
        )  # fmt: skip
        yield Figure(
            f"{words}: longest stall of a step, median of {part['turns']}",
            f"≤ {STALL:g} ms", f"{one['longest_ms']:.1f} ms (worst {one['worst_ms']:.1f})",
            one["longest_ms"] <= STALL,
        )  # fmt: skip


def _mutants(part: Part) -> Iterator[Figure]:
    tried = f"{part['mutants']:,} mutants of {part['formats']} formats"
    bad = part["tracebacks"] + part["unnamed"]
    yield Figure(f"{tried}: tracebacks, or errors that do not name the file", "0", f"{bad}",
                 bad == 0)  # fmt: skip
    yield Figure(f"{tried}: over 200 MB or 5 s", "0", f"{part['over_budget']}",
                 part["over_budget"] == 0)  # fmt: skip
    bombs = part["bombs"]
    yield Figure(
        f"{bombs['bombs']} small files that ask for much: refused",
        "all", f"{bombs['refused']}", bombs["refused"] == bombs["bombs"],
    )  # fmt: skip
    yield Figure("the slowest of these, time of a processor", f"≤ {ANSWER:g} s",
                 f"{bombs['seconds']:.2f} s", bombs["seconds"] <= ANSWER)  # fmt: skip
    yield Figure("the most memory for one of these", "≤ 200 MB",
                 f"{bombs['megabytes']:.0f} MB", bombs["megabytes"] <= 200)  # fmt: skip


def _server(part: Part) -> Iterator[Figure]:
    crowd = (
        f"{part['half_open']:,} half-open connections, {part['listeners']} listeners, "
        f"{part['runs']:,} runs"
    )
    yield Figure(f"{crowd}: slowest answer", f"≤ {ANSWER:g} s", f"{part['slowest']:.2f} s",
                 part["slowest"] <= ANSWER)  # fmt: skip
    yield Figure("the same: listeners that hear of a new step", f"{part['listeners']}",
                 f"{part['heard']}", part["heard"] == part["listeners"])  # fmt: skip
    yield Figure("the same: memory of the server", "≤ 400 MB", f"{part['megabytes']} MB",
                 part["megabytes"] <= 400)  # fmt: skip
    yield Figure("the same: Ctrl-C ends it within", f"≤ {ANSWER:g} s", f"{part['ended']:.2f} s",
                 part["ended"] <= ANSWER)  # fmt: skip
    told = part["refused"]
    yield Figure("somebody without the token gets", "403", f"{told['no token']}",
                 told["no token"] == 403)  # fmt: skip
    yield Figure("somebody with 60 kB of cookies gets", "431", f"{told['60 kB of cookies']}",
                 told["60 kB of cookies"] == 431)  # fmt: skip


def _effects(part: Part) -> Iterator[Figure]:
    for how in ("namespaces", "landlock", "guard"):
        if "skipped" in part.get(how, {"skipped": ""}):
            continue
        ends = part[how]
        kinds = ("files", "processes", "connections", "victims")
        left = [sum(one[kind] for one in ends.values()) for kind in kinds]
        was_tried = all(one["tried"] for one in ends.values())
        ways = ", ".join(_ENDS[end] for end in ends)
        yield Figure(
            f"kept in by {how} ({ways}): files changed, processes left, connections made, "
            "processes of others ended", "0, 0, 0, 0", ", ".join(map(str, left)),
            was_tried and not any(left),
        )  # fmt: skip


def _memory(part: Part) -> Iterator[Figure]:
    for name, words in NAMES.items():
        plain = part[name]["plain"]
        for way, label in {"watch": "`watch`", "run": "`paramedic run`"}.items():
            more = part[name][way] - plain
            yield Figure(
                f"{words}, under {label}: memory more than plain", f"≤ {MEGABYTES:g} MB",
                f"{more:+.0f} MB of {plain:.0f}", more <= MEGABYTES,
            )  # fmt: skip


def _gate(part: Part) -> Iterator[Figure]:
    yield Figure("programs, and ways in which each was run", f"≥ {PROGRAMS} × {WAYS}",
                 f"{part['programs']} × {part['ways']}",
                 part["programs"] >= PROGRAMS and part["ways"] >= WAYS)  # fmt: skip
    differences = part["differences"]
    yield Figure("differences to the plain program", "0", f"{len(differences)}", not differences)
    failed = part["others_failed"]
    yield Figure(
        f"other tests of the gate that failed, of {part['others']} (errors of ours that the "
        "program must not notice, among others)", "0", f"{len(failed)}", not failed,
    )  # fmt: skip


_MAKERS: dict[str, Callable[[Part], Iterator[Figure]]] = {
    "kills": _kills, "hiccups": _hiccups, "mutants": _mutants, "server": _server,
    "effects": _effects, "memory": _memory, "gate": _gate,
}  # fmt: skip


def _section(name: str, part: Part) -> list[str]:
    from reliability_parts.words import WORDS

    if "skipped" in part:
        return []
    about = part["about"]
    told = f"{about['minutes']:g} minutes; load average at the end {about['load']:.1f}."
    return [f"## {TITLES[name]}", WORDS[name](part), told]


def _machine(parts: dict[str, Part]) -> list[str]:
    if not parts:
        return []
    machine = list(parts.values())[-1]["machine"]
    packages = ", ".join(f"{name} {machine['packages'][name]}" for name in ("torch", "numpy"))
    return [
        "## The machine",
        f"{machine['cores']} cores, {machine['processor']}, {machine['system']}, Python "
        f"{machine['python']}, {packages}. It did other work, too; what is measured by a clock is "
        "at most better elsewhere.",
    ]
