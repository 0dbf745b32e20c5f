"""The page and the JSON of the ecosystem benchmark."""

from __future__ import annotations

import json
import platform
from importlib.metadata import version
from pathlib import Path
from typing import Any

from ecosystem.cases import COUNTED, LOOKED_AT, first_line, mistake_of
from ecosystem.judging import Judged, totals, true_warnings

NOT_INSTALLED = Path(__file__).parent / "not_installed.json"
_GOAL = 0.95


def write_page(found: list[Judged], folder: Path) -> None:
    """`ecosystem.json` and `ecosystem.md`."""
    halves = {
        half: [one for one in found if one.case.half == half] for half in (COUNTED, LOOKED_AT)
    }
    numbers = {half: totals(results) for half, results in halves.items()}
    rows = [_row(one) for one in found]
    data = {
        "machine": platform.machine(),
        "torch": version("torch"),
        "halves": numbers,
        "runs": rows,
    }
    (folder / "ecosystem.json").write_text(json.dumps(data, indent=1) + "\n", encoding="utf-8")
    text = "\n".join([*_summary(numbers), *_warnings(found), *_tables(halves), *_missing()])
    (folder / "ecosystem.md").write_text(text + "\n", encoding="utf-8")


def _row(one: Judged) -> dict[str, Any]:
    return {
        "driver": one.case.name,
        "mistake": one.case.mistake,
        "half": one.case.half,
        "outcome": one.outcome,
        "metric": one.metric,
        "verdict": one.verdict,
        "reason": one.reason,
        "warnings": list(one.warnings),
    }


def _summary(numbers: dict[str, dict[str, Any]]) -> list[str]:
    lines = [
        "# Verdicts on trainings by other people's packages",
        "",
        "<!-- Written by `benchmarks/ecosystem.py`; edit that, not this. -->",
        "",
        "Each driver is a short program of ours around the trainer, model and loop of a package",
        "from the index, on small real data, and says by its own metric whether it learned. The",
        "drivers were written without knowledge of any detector or threshold. Which half a driver",
        "belongs to was drawn by a hash of its name before anything was run: what is said of the",
        "half *looked at* may have been used to improve Paramedic; the other is only *counted*.",
        "A counted driver that was looked at after a counting moved to the other half for good.",
        "",
        "| | counted | looked at | goal |",
        "| --- | --- | --- | --- |",
    ]
    counted, looked = numbers[COUNTED], numbers[LOOKED_AT]
    for words, value, goal in (
        ("trainings that learn, by their own metric", lambda n: n["healthy"], ""),
        ("verdict `learning`", lambda n: _share(n, "healthy_learning"), ""),
        ("verdict `cannot tell`", lambda n: _share(n, "healthy_cannot_tell"), ""),
        ("either", _either, f"≥ {_GOAL:.0%}"),
        ("with any warning", lambda n: n["healthy_warned"], ""),
        ("untrue warnings", lambda n: n["untrue_warnings"], "0"),
        ("runs with a mistake that failed, by their own metric", lambda n: n["sick"], ""),
        ("of these, verdict `learning`", lambda n: n["sick_called_learning"], "0"),
        ("and no fault reported either", lambda n: n["sick_called_learning_without_fault"], ""),
        ("runs that crashed", lambda n: len(n["crashed"]), ""),
    ):
        lines.append(f"| {words} | {value(counted)} | {value(looked)} | {goal} |")
    return [*lines, ""]


def _share(numbers: dict[str, Any], name: str) -> str:
    whole = numbers["healthy"]
    return f"{numbers[name]} ({numbers[name] / whole:.0%})" if whole else "–"


def _either(numbers: dict[str, Any]) -> str:
    both = numbers["healthy_learning"] + numbers["healthy_cannot_tell"]
    return f"{both} of {numbers['healthy']} ({both / max(numbers['healthy'], 1):.0%})"


def _warnings(found: list[Judged]) -> list[str]:
    """Each warning about a training that learned, and whether it is true."""
    known = true_warnings()
    lines = ["## Warnings about trainings that learn", ""]
    rows = [
        f"| {one.case.name} | {one.case.half} | {slug} | {_truth(known, one.case.name, slug)} |"
        for one in found
        if one.outcome == "learned" and not one.case.mistake
        for slug in one.warnings
    ]
    if not rows:
        return [*lines, "None.", ""]
    return [*lines, "| driver | half | warning | true? |", "| --- | --- | --- | --- |", *rows, ""]


def _truth(known: dict[str, str], name: str, slug: str) -> str:
    return known.get(f"{name}: {slug}", "**not true**")


def _tables(halves: dict[str, list[Judged]]) -> list[str]:
    lines: list[str] = []
    for half, results in halves.items():
        lines += [f"## The half that was {half}", ""]
        lines += ["| driver | what | its own metric | verdict |", "| --- | --- | --- | --- |"]
        for one in results:
            what = mistake_of(one.case) if one.case.mistake else first_line(one.case)
            name = f"{one.case.name}, with its mistake" if one.case.mistake else one.case.name
            mark = "" if one.right else " **wrong**"
            own = f"{one.outcome or 'crashed'}: {one.metric}"
            lines.append(f"| {name} | {what} | {own} | {one.verdict}{mark} |".replace("\n", " "))
        lines.append("")
    return lines


def _missing() -> list[str]:
    if not NOT_INSTALLED.exists():
        return []
    reasons = json.loads(NOT_INSTALLED.read_text(encoding="utf-8"))
    lines = ["## Packages that could not be used", ""]
    return [*lines, *(f"- {name}: {why}" for name, why in reasons.items())]
