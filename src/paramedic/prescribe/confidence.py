"""How sure we are of a remedy: what was believed, corrected by what was measured.

For each pair of problem and remedy the share of successes has a Beta distribution. It begins as
Jeffreys' (half a success and half a failure), to which the prior of the cure is added (a published
rate or an estimate, worth a few repairs) and one for each measured repair. The confidence is its
mean: a remedy given 0.8 is to work in 80 % of cases. Measured is by `make bench-remedies`, which
writes `outcomes.json`.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from typing import Any, Self

from paramedic.prescribe.cure import Prior

FILE = "outcomes.json"
LEAST = 0.5  # below that nothing is advised
_HALF = 0.5  # a success and a failure each, so that nothing is ever certain
_FIELDS = ("problem", "remedy", "worked", "tried", "source")


@dataclass(frozen=True, slots=True)
class Outcome:
    """How often a remedy worked against a problem, as counted somewhere."""

    problem: str
    remedy: str
    worked: int
    tried: int
    source: str = ""

    def __post_init__(self) -> None:
        if not 0 <= self.worked <= self.tried:
            raise ValueError(
                f"{self.problem} × {self.remedy}: it worked {self.worked} times of {self.tried}, "
                "which cannot be."
            )


@dataclass(frozen=True, slots=True)
class Outcomes:
    """A table of outcomes, and where it comes from: what was done, when, by which command."""

    outcomes: tuple[Outcome, ...] = ()
    provenance: Mapping[str, str] = field(default_factory=dict)

    def count(self, problem: str, remedy: str) -> tuple[int, int]:
        """How often it worked and was tried."""
        found = [one for one in self.outcomes if (one.problem, one.remedy) == (problem, remedy)]
        return sum(one.worked for one in found), sum(one.tried for one in found)

    def to_json(self) -> dict[str, Any]:
        """Plain values."""
        rows = [{name: getattr(one, name) for name in _FIELDS} for one in self.outcomes]
        return {"provenance": dict(self.provenance), "outcomes": rows}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Self:
        """What `to_json` gave; words for what is wrong with a row."""
        rows = data.get("outcomes", [])
        return cls(tuple(_outcome(row) for row in rows), dict(data.get("provenance", {})))


def _outcome(row: Mapping[str, Any]) -> Outcome:
    absent = [name for name in _FIELDS[:-1] if name not in row]
    if absent:
        raise ValueError(f"An outcome lacks {', '.join(absent)}: {dict(row)}.")
    return Outcome(**{name: row[name] for name in _FIELDS if name in row})


@cache
def measured() -> Outcomes:
    """The outcomes that come with the package."""
    text = (files("paramedic.prescribe") / FILE).read_text(encoding="utf-8")
    return Outcomes.from_json(json.loads(text))


def confidence(prior: Prior, worked: int = 0, tried: int = 0) -> float:
    """The mean of the posterior."""
    return (_HALF + prior.mean * prior.worth + worked) / (2 * _HALF + prior.worth + tried)


def ground(prior: Prior, worked: int = 0, tried: int = 0) -> str:
    """Where the confidence comes from, in words."""
    before = f"{prior.mean:.2g} by {prior.source}"
    if not tried:
        return f"{before}; not measured by us"
    return f"worked in {worked} of {tried} measured repairs; before that {before}"


def tally(results: Iterable[tuple[str, str, bool]], source: str = "") -> tuple[Outcome, ...]:
    """Single repairs (problem, remedy, whether it worked), counted."""
    counts: dict[tuple[str, str], list[bool]] = {}
    for problem, remedy, worked in results:
        counts.setdefault((problem, remedy), []).append(worked)
    return tuple(
        Outcome(problem, remedy, sum(found), len(found), source)
        for (problem, remedy), found in sorted(counts.items())
    )


def write(outcomes: Sequence[Outcome], provenance: Mapping[str, str], path: Any) -> None:
    """A table as JSON, a line for each row, so that two tables can be compared line by line."""
    rows = ",\n".join(
        "  " + json.dumps({name: getattr(one, name) for name in _FIELDS}) for one in outcomes
    )
    head = json.dumps(dict(provenance), indent=2, ensure_ascii=False).replace("\n", "\n ")
    path.write_text(f'{{\n "provenance": {head},\n "outcomes": [\n{rows}\n ]\n}}\n')
