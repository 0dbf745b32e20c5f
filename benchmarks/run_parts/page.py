"""The page: every number comes from the JSON."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from overhead_parts.numbers import Spread, spread

NOTE = "<!-- Written by `benchmarks/run.py`; edit that, not this. -->"
START_LIMIT = 0.5  # seconds
STEP_LIMITS = {"char_gpt": 1.01, "tiny_mlp": 1.03}
TITLES = {
    "char_gpt": "char-GPT 4×128, block 64, batch 12",
    "tiny_mlp": "MLP with 8 hidden layers of 64, batch 32",
}
# As good as the twin: within this share of the way from the sick run to it.
NEAR = 0.1
METHOD = """\
One torch thread, one core. **Starting**: the wall time of a whole process, by `python` and by \
`paramedic run` in turns, the first of each left out. **A step**: a script runs under `paramedic \
run`, and after its first steps we leave it at every other step and take all hooks and wrappers \
along; a watched step is compared with the plain ones right before and after it, steps with and \
without a look apart (`benchmarks/run_parts/turns.py`). **Whole scripts** include starting and \
the first steps, which are looked at more closely. **Fixes**: each sick example is run with \
`--fix --write`, then the patched script and the healthy twin are run; all three numbers are of \
the same metric at the end of the run. Brackets hold quartiles."""
_CODES = (("sick", 1), ("patched", 0), ("twin", 0))  # what is right for each


def page(results: dict[str, Any]) -> str:
    """The parts that were measured."""
    makers = {"start": _start, "steps": _steps, "whole": _whole, "fixes": _fixes}
    parts = [make(results[name]) for name, make in makers.items() if name in results]
    title = "# What `paramedic run` costs, and what its patches do"
    missing = [f"`{name}`" for name in makers if name not in results]
    if missing:
        parts.append(f"Not measured yet: {', '.join(missing)} (`benchmarks/run.py --parts …`).")
    method = "## How it was measured\n\n" + METHOD
    return "\n\n".join([title, NOTE, *parts, method, _machine(results)]) + "\n"


def _start(part: dict[str, Any]) -> str:
    rows = [
        (name, *_difference(times), _difference(times, "_processor")[2])
        for name, times in part["scripts"].items()
    ]
    worst = max(more.middle for _, _, _, more, _ in rows)
    table = _table(
        ("script", "`python`, s", "`paramedic run`, s", "added, s", "of the processor, s"),
        ((name, f"{a:.2f}", f"{b:.2f}", _told(more), _told(cpu)) for name, a, b, more, cpu in rows),
    )
    return f"## Starting\n\nAt most {START_LIMIT} s: {_met(worst <= START_LIMIT)}.\n\n{table}"


def _difference(times: dict[str, list[float]], kind: str = "") -> tuple[float, float, Spread]:
    """Both medians, and the difference of neighbours."""
    python, run = np.array(times[f"python{kind}"]), np.array(times[f"run{kind}"])
    return float(np.median(python)), float(np.median(run)), spread((run - python).tolist())


def _steps(part: dict[str, Any]) -> str:
    def rows() -> Iterator[tuple[str, ...]]:
        for name, blocks in part["scripts"].items():
            ratio, cpu = (
                spread([block[clock]["ratio"]["mean"] for block in blocks])
                for clock in ("wall", "processor")
            )
            plain = float(np.median([block["wall"]["plain_seconds"] for block in blocks]))
            pairs = sum(sum(block["wall"]["steps"].values()) for block in blocks)
            limit = STEP_LIMITS[name]
            yield (TITLES[name], f"{1000 * plain:.2f}", f"{pairs:,}", f"≤ {limit:.2f}",
                   _told(ratio, 3), _told(cpu, 3), _met(cpu.middle <= limit))  # fmt: skip

    head = ("script", "plain step, ms", "pairs of steps", "limit", "watched / plain",
            "time of the processor", "verdict")  # fmt: skip
    return "## A step of a running script\n\n" + _table(head, rows())


def _whole(part: dict[str, Any]) -> str:
    def rows() -> Iterator[tuple[str, ...]]:
        for name, times in part["scripts"].items():
            python, run, more = _difference(times)
            plain, _, cpu = _difference(times, "_processor")
            yield (name, f"{python:.1f}", f"{run:.1f}", _told(more), _told(cpu),
                   f"{cpu.middle / plain:.1%}")  # fmt: skip

    head = ("script", "`python`, s", "`paramedic run`, s", "added, s", "of the processor, s",
            "share of it")  # fmt: skip
    return "## Whole scripts\n\n" + _table(head, rows())


def _fixes(part: dict[str, Any]) -> str:
    rows = part["rows"]
    verified = sum(row["remedy"] is not None for row in rows)
    near = sum(_is_near(row) for row in rows)
    failing, healthy, twins = (_count(rows, kind, code) for kind, code in _CODES)
    table = _table(
        ("script", "root cause", "line", "verified patch", "metric", "sick", "patched", "twin",
         "as good"),
        ((f"`{row['name']}`", row["root"] or "-", f"`{row['source']}`", row["remedy"] or "none",
          row["metric"], *(f"{row[one]:.3g}" for one in ("sick", "patched", "twin")),
          "yes" if _is_near(row) else "no") for row in rows),
    )  # fmt: skip
    return (
        f"## Patches\n\nOf {len(rows)} sick examples {failing} are said to fail or to have a fault "
        f"(exit code 1), and {verified} got a verified patch; {healthy} patched scripts are said "
        f"to learn, without a fault (exit code 0), and {near} end as their healthy twins do or "
        f"better (within a tenth of the way). {twins} of {len(rows)} twins are said to learn."
        f"\n\n{table}"
    )


def _count(rows: list[dict[str, Any]], kind: str, code: int) -> str:
    """How many ended with an exit code; earlier measurements did not keep it."""
    codes = [row["exit_codes"][kind] for row in rows if "exit_codes" in row]
    return str(codes.count(code)) if len(codes) == len(rows) else "an unknown number"


def _is_near(row: dict[str, Any]) -> bool:
    """Whether the patched run ends where the twin does, within a share of what was to be won."""
    sign = 1 if row["metric"] == "val_acc" else -1
    sick, patched, twin = (sign * row[one] for one in ("sick", "patched", "twin"))
    return bool(patched >= twin - NEAR * abs(twin - sick))


def _told(numbers: Spread, digits: int = 2) -> str:
    return f"{numbers.middle:.{digits}f} ({numbers.lower:.{digits}f}–{numbers.upper:.{digits}f})"


def _met(kept: bool) -> str:
    return "**met**" if kept else "**missed**"


def _table(head: tuple[str, ...], rows: Any) -> str:
    lines = [head, ("---",) * len(head), *rows]
    return "\n".join(f"| {' | '.join(row)} |" for row in lines)


def _machine(results: dict[str, Any]) -> str:
    facts = next(iter(results.values()))["machine"]
    packages = ", ".join(
        f"{name} {facts['packages'][name]}" for name in ("torch", "numpy", "paramedic")
    )
    return (
        f"Measured on {facts['processor']} ({facts['cores']} cores, one used), "
        f"{facts['system']}, Python {facts['python']}, {packages}."
    )
