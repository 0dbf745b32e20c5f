"""How often each detector was right, as measured on runs whose sickness was known."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, fields
from functools import cache
from importlib.resources import files
from typing import Any

FILE = "rates.json"
NOT_MEASURED = "not measured yet"


@dataclass(frozen=True, slots=True)
class Rates:
    """What was counted for one detector.

    `found` of `sick_runs` were noticed, `named` of them with the right name first;
    `false_alarms` of `healthy_runs` were called sick. `median_delay` is the part of the run that
    passed before it was told. `source` says where the measurement is described.
    """

    sick_runs: int
    found: int
    named: int
    healthy_runs: int
    false_alarms: int
    median_delay: float | None = None
    source: str = ""

    @property
    def recall(self) -> str:
        """Which share of the sick runs was found."""
        return _share(self.found, self.sick_runs)

    @property
    def right_name(self) -> str:
        """Which share of the sick runs was given the right name."""
        return _share(self.named, self.sick_runs)

    @property
    def false_alarm_rate(self) -> str:
        """Which share of the healthy runs was called sick."""
        return _share(self.false_alarms, self.healthy_runs)

    @property
    def delay(self) -> str:
        """How much of a run passes before it is told, in the middle case."""
        if self.median_delay is None:
            return NOT_MEASURED
        return f"{100 * self.median_delay:.3g} % of the run"


def rates_of(code: str, slug: str) -> Rates | None:
    """What was measured for a detector, or None."""
    measured = _measured()
    return measured.get(code) or measured.get(slug)


@cache
def _measured() -> Mapping[str, Rates]:
    file = files("paramedic.diagnose") / FILE
    return parse(file.read_text(encoding="utf-8")) if file.is_file() else {}


def parse(text: str) -> dict[str, Rates]:
    """The rates by code or slug, from the text of the file."""
    data = json.loads(text)
    source = str(data.get("source", ""))
    return {name: _rates(given, source) for name, given in data.get("detectors", {}).items()}


def _rates(given: Mapping[str, Any], source: str) -> Rates:
    known = {one.name for one in fields(Rates)}
    return Rates(**{"source": source, **{key: given[key] for key in given if key in known}})


def _share(part: int, whole: int) -> str:
    """`7 of 8 (88 %)`: the counts too, because eight runs are few."""
    return f"{part} of {whole} ({100 * part / whole:.0f} %)" if whole else NOT_MEASURED
