"""The page: words first, then tables and pictures; every number comes from the JSON."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from . import tables
from .goals import ALL, Verdict, finest, verdicts
from .numbers import WORKLOAD_NAMES, ratio, unit_cost
from .plots import draw

NOTE = "<!-- Written by `benchmarks/overhead.py`; edit that, not this. -->"
QUICK = "> **A smoke test, not a measurement**: some parts ran with `--quick`: {parts}.\n"
METHOD = """\
Each workload is measured with one torch thread. Each variant runs in a fork of one process, so \
all start from the same interpreter, weights and data, and no hook of one can touch another. The \
speed of a shared machine changes within a second by more than what is to be measured, so a \
variant and the plain loop take short turns (one step, or some tens where a step is short), in \
the order A B B A, on the same core; whose turn it is not sleeps. A repeat visits every variant \
with fresh processes, in an order that rotates from repeat to repeat. The tables give the median \
over the repeats and, in brackets, the quartiles. The first table compares all the time of all \
the turns, so that what is done at some steps only (a look of a budgeted schedule, a commit of a \
trace) is paid for; the second compares the median step, which hides that; the third compares the \
processor time of the process, its helper threads included but not other processes that it \
starts. `paramedic.watch` at its defaults looks hard at its first steps; those come before its \
turns and are told apart. Its turns are longer, since it takes the time between two of its steps \
for the time of a step, and go on until it has looked in full again, so that whole cycles are \
timed. Every watched run writes a trace file. BTTackler's statistics are written anew from its \
paper, for every parameter; `wandb` logs the loss too, which is what commits a step. The row \
`nothing` is the plain loop measured as if it were a variant: how far it is from 1.00 is the \
noise. "Met" means that the median keeps the limit, "within the noise" that only the lower \
quartile does. The cost of a look is the difference of median steps with and without it, in the \
same alternation."""


def write(results: dict[str, Any], folder: Path) -> Path:
    """Draw the pictures and write `overhead.md`."""
    folder.mkdir(parents=True, exist_ok=True)
    pictures = dict(draw(results["parts"], folder))
    page = folder / "overhead.md"
    page.write_text("\n\n".join(_sections(results, pictures)) + "\n")
    return page


def _sections(results: dict[str, Any], pictures: dict[str, str]) -> list[str]:
    parts = results["parts"]
    found = verdicts(parts)
    quick = [name for name, part in parts.items() if part["quick"]]
    return [
        "# What watching costs",
        NOTE,
        *([QUICK.format(parts=", ".join(quick)).rstrip()] if quick else []),
        summary(parts, found),
        "## The goals\n\n" + tables.goals_table(found),
        *_workload_sections(parts, pictures),
        *_look_sections(parts, pictures),
        *_long_sections(parts, pictures),
        "## How it was measured\n\n" + METHOD,
        _machine(parts),
    ]


def summary(parts: dict[str, Any], found: list[Verdict]) -> str:
    """One paragraph that says how it went."""
    return " ".join(
        sentence
        for sentence in (
            _ratio_sentence(parts, "watch", "At its defaults `paramedic.watch` costs"),
            _ratio_sentence(parts, "watch-vitals", "Norms and finiteness at every step cost"),
            _ratio_sentence(parts, "watch-full", "All statistics at every step cost"),
            _ratio_sentence(parts, "bttackler", "BTTackler's own way to get them costs"),
            _slope_sentence(parts),
            _ratio_sentence(parts, "control", "The plain loop against itself gives"),
            _goal_sentence(found),
        )
        if sentence
    )


def _ratio_sentence(parts: dict[str, Any], variant: str, words: str) -> str:
    seen = [(name, ratio(finest(parts, name, variant), variant)) for name in WORKLOAD_NAMES]
    texts = [f"{value.middle:.2f} on {name}" for name, value in seen if value]
    return f"{words} {_list(texts)}." if texts else ""


def _slope_sentence(parts: dict[str, Any]) -> str:
    slopes = [unit_cost(parts.get("parameters"), v) for v in ("clip", "watch-vitals", "watch-full")]
    if None in slopes or slopes[0] <= 0:
        return ""
    clip, vitals, full = slopes
    return (
        f"Per parameter a look at norms costs {vitals / clip:.1f} times and a look at everything "
        f"{full / clip:.1f} times as much as `clip_grad_norm_`."
    )


def _goal_sentence(found: list[Verdict]) -> str:
    groups = []
    for verdict in ALL:
        places: dict[str, list[str]] = {}
        for one in found:
            if one.verdict == verdict:
                places.setdefault(one.goal, []).append(one.where)
        names = [f"{goal} ({', '.join(where)})" for goal, where in places.items()]
        if names:
            count = sum(len(where) for where in places.values())
            groups.append(f"**{count} {verdict}**: {'; '.join(names)}")
    return f"Of {len(found)} goals {'. '.join(groups)}."


def _list(texts: list[str]) -> str:
    return texts[0] if len(texts) == 1 else f"{', '.join(texts[:-1])} and {texts[-1]}"


def _picture(pictures: dict[str, str], name: str) -> str:
    return f"\n\n![{pictures[name]}]({name})" if name in pictures else ""


def _workload_sections(parts: dict[str, Any], pictures: dict[str, str]) -> list[str]:
    if not any(name in parts for name in WORKLOAD_NAMES):
        return []
    sections = [
        "## Workloads\n\n" + tables.workloads_table(parts),
        "## Step time over the plain loop\n\nThe mean step; 1.00 is free.\n\n"
        + tables.ratios_table(parts, "mean")
        + _picture(pictures, "overhead.ratios.png"),
        "The median step:\n\n" + tables.ratios_table(parts, "median"),
        "Processor time:\n\n" + tables.ratios_table(parts, "cpu"),
    ]
    if "one-process" in parts:
        words = (
            "One process, one model, every other step watched, each compared with the plain "
            "steps before and after it: two processes lay the same model out differently in "
            "memory, which alone is worth several percent where tensors are large, and the speed "
            "of the machine changes within a second. The goals are judged by this table. Mean "
            "step, without the most extreme tenth of steps of a kind on either side:\n\n"
        )
        sections.append(words + tables.one_process_table(parts["one-process"]))
    if any(parts.get(name, {}).get("variants", {}).get("watch") for name in WORKLOAD_NAMES):
        sections.append(
            "## Start and end of a watched run\n\nAt its defaults; what the first steps took more "
            "than plain ones, once per run.\n\n" + tables.startup_table(parts)
        )
    if spent := tables.spent_table(parts):
        words = "What `monitor.spent` says of the timed steps, all repeats together.\n\n"
        sections.append("## The monitor's own account\n\n" + words + spent)
    return sections


def _look_sections(parts: dict[str, Any], pictures: dict[str, str]) -> list[str]:
    sweeps = [parts[axis] for axis in ("parameters", "tensors") if axis in parts]
    shown = [tables.sweep_table(part) for part in sweeps if part["points"][0]["added_seconds"]]
    if not shown:
        return []
    words = "What one look adds to a step, at every step, for stacks of equal linear layers."
    picture = _picture(pictures, "overhead.sweep.png")
    return ["## The cost of one look\n\n" + "\n\n".join([words, *shown]) + picture]


def _long_sections(parts: dict[str, Any], pictures: dict[str, str]) -> list[str]:
    sections = []
    if "flatness" in parts:
        picture = _picture(pictures, "overhead.flatness.png")
        words = (
            "A tiny model for very many steps, next to the plain loop. The drift is the ratio in "
            "the last three tenths of the run over that in the first three; memory gained is "
            "from the second tenth to the end.\n\n"
        )
        shown = tables.flatness_table(parts["flatness"])
        sections.append("## A long run\n\n" + words + shown + picture)
    if "memory" in parts:
        words = "Peak resident memory of a process that takes a few steps, looks among them.\n\n"
        sections.append("## Memory\n\n" + words + tables.memory_table(parts["memory"]))
    return sections


def _machine(parts: dict[str, Any]) -> str:
    """One line per distinct machine or set of versions."""
    lines: dict[str, list[str]] = {}
    for name, part in parts.items():
        facts = part["machine"]
        versions = ", ".join(f"{key} {value}" for key, value in facts["packages"].items())
        line = (
            f"{facts['cores']} cores ({facts['processor']}), {facts['system']}, Python "
            f"{facts['python']}, {facts['torch_threads']} torch thread, {versions}"
        )
        lines.setdefault(line, []).append(name)
    shown = [f"- {', '.join(names)}: {line}." for line, names in lines.items()]
    return "## Machine\n\n" + "\n".join(shown)
