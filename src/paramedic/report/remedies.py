"""Writes `docs/remedies.md`: what is advised against each problem, and how sure we are.

`python -m paramedic.report.remedies docs/remedies.md`, or `make catalogue`.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

from paramedic.diagnose.rules import DEFAULT, rules
from paramedic.prescribe.confidence import LEAST, confidence, ground, measured
from paramedic.prescribe.cure import Cure
from paramedic.prescribe.cures import WITHOUT_CURE, cures, cures_for
from paramedic.prescribe.escalation import LADDER, WITHIN
from paramedic.report.rendering import cell

_NOTE = "<!-- Made by `make catalogue` from the cures; do not edit. -->"
_WORDS = f"""\
`monitor.remedies` and `paramedic replay` say what to do about a finding, the best first: in \
words, as a line of code, with a safety level, a confidence and its ground. Values come from the \
run: a clip norm from the healthy part of its gradients, a rate from how far its steps move the \
weights.

**Confidence** is how often the remedy is to work: a prior (a published rate, or our estimate) \
corrected by measured repairs ([how](benchmarks/remedies.md), `make bench-remedies`). Below \
{LEAST:g} nothing is advised. **Safety**: *safe* cannot make a sound run worse, *unsafe* changes \
how it trains, *advice* needs a person. Several problems at once are one event \
(`monitor.emergency`) whose single best intervention comes first. A problem that comes back within \
{WITHIN} steps is met by something stronger: {", then ".join(LADDER)}."""


def page() -> str:
    """The page."""
    parts = ["# Remedies", _NOTE, _WORDS, "## Against each problem", _by_problem()]
    parts += ["## Each remedy", "\n".join(_line(cure) for cure in cures())]
    return "\n\n".join(parts) + "\n"


def _by_problem() -> str:
    rows = ["| problem | remedy | confidence | ground |", "|---|---|---|---|"]
    for kind in rules(DEFAULT):
        if kind.__module__.startswith("paramedic."):
            rows += _rows(kind.slug)
    return "\n".join(rows)


def _rows(problem: str) -> Iterator[str]:
    link = f"[{problem}](catalogue/{problem}.md)"
    table = measured()
    found = [
        (confidence(cure.against[problem], *table.count(problem, cure.slug)), cure)
        for cure in cures_for(problem)
    ]
    for sure, cure in sorted(found, key=lambda pair: (-pair[0], pair[1].slug)):
        why = ground(cure.against[problem], *table.count(problem, cure.slug))
        told = f"{sure:.2f}" if sure >= LEAST else f"{sure:.2f}, not advised"
        yield f"| {link} | `{cure.slug}` | {told} | {why} |"
    if not found:
        yield f"| {link} | none | | {cell(WITHOUT_CURE.get(problem, ''))} |"


def _line(cure: Cure) -> str:
    words = " ".join((type(cure).__doc__ or "").split("\n\n")[0].split())
    return f"- `{cure.slug}` ({cure.family}, {cure.safety}): {words}"


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(page(), encoding="utf-8")
