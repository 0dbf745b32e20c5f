"""Writes what was counted where the catalogue reads it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from paramedic.diagnose.rules import DEFAULT

from .counting import by_slug, tally
from .naming import codes
from .runs import Judged, healthy, of_half

SOURCE = "docs/benchmarks/detection.md"


def write(judged: Sequence[Judged], path: Path) -> None:
    """The rates of every detector, from the judging half."""
    data = {"source": SOURCE, "detectors": rates(of_half(judged, "judging"))}
    path.write_text(json.dumps(data, indent=1) + "\n")


def rates(half: Sequence[Judged]) -> dict[str, dict[str, Any]]:
    """By code, what `paramedic.diagnose.rates` reads; nothing of sicknesses that were not seen."""
    return {codes()[slug]: _rates(slug, runs, half) for slug, runs in by_slug(half).items()}


def _rates(slug: str, runs: Sequence[Judged], half: Sequence[Judged]) -> dict[str, Any]:
    counted, sound = tally(runs, DEFAULT), healthy(half)
    middle = None if counted.delay is None else round(counted.delay.middle, 4)
    return {
        "sick_runs": counted.runs,
        "found": counted.found,
        "named": counted.named,
        "healthy_runs": len(sound),
        "false_alarms": sum(slug in one.outcomes[DEFAULT].loud for one in sound),
        "median_delay": middle,
    }
