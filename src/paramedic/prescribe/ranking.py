"""Which remedy comes first.

For one problem: the one we are surest of. Several problems at once are one emergency, and the
single best intervention is the one most likely to end them all. How likely that is was measured
for pairs of problems (`ranking.json`, written by `make bench-remedies`); where a pair was not
measured the product of the confidences speaks. Equals are tried in the order of their families:
what is simply wrong, then gradient control, regularisation, architecture.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from importlib.resources import files
from itertools import combinations
from math import prod
from typing import Any, Self

from paramedic.diagnose.causes import Diagnosis
from paramedic.prescribe.cure import Family
from paramedic.prescribe.cures import cures
from paramedic.types import Finding, Remedy, Safety, Severity

FILE = "ranking.json"
UNTREATED = 0.1  # how often a problem goes by a remedy that is not meant for it
RELIEF = 0.9  # how often what a problem brought about goes when the problem does
_WORTH = 2.0  # measured repairs that the product of the confidences is worth
_FAMILIES = list(Family)
_DIRECT = {"learning-rate-too-high": "lower-rate"}  # the remedy that undoes a problem itself
_SAFETIES = [Safety.SAFE, Safety.UNSAFE, Safety.ADVICE]


@dataclass(frozen=True, slots=True)
class Emergency:
    """Several problems at once, as one event: what holds, and what to do about all of it.

    `problems` are slugs: the roots first, then what they bring about; `remedies` the best first.
    """

    step: int
    problems: tuple[str, ...]
    remedies: tuple[Remedy, ...]

    @property
    def best(self) -> Remedy | None:
        """The single best intervention."""
        return self.remedies[0] if self.remedies else None

    def to_json(self) -> dict[str, Any]:
        """Plain values."""
        return {
            "step": self.step,
            "problems": list(self.problems),
            "remedies": [remedy.to_json() for remedy in self.remedies],
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Self:
        """What `to_json` gave."""
        remedies = tuple(Remedy.from_json(one) for one in data["remedies"])
        return cls(data["step"], tuple(data["problems"]), remedies)


@dataclass(frozen=True, slots=True)
class Combination:
    """How often a remedy ended both of two problems that were there at once."""

    problems: tuple[str, str]
    remedy: str
    worked: int
    tried: int

    def to_json(self) -> dict[str, Any]:
        """Plain values."""
        return {
            "problems": list(self.problems),
            "remedy": self.remedy,
            "worked": self.worked,
            "tried": self.tried,
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Self:
        """What `to_json` gave."""
        first, second = sorted(data["problems"])
        return cls((first, second), data["remedy"], data["worked"], data["tried"])


@dataclass(frozen=True, slots=True)
class Ranking:
    """What was learned of pairs of problems: a table that can be read, and made anew by `fit`."""

    pairs: tuple[Combination, ...] = ()
    provenance: Mapping[str, str] = field(default_factory=dict)

    def both(self, problems: Iterable[str], remedy: str, expected: float) -> float:
        """How likely a remedy ends both problems; `expected` is believed before measuring."""
        pair = tuple(sorted(problems))
        found = [one for one in self.pairs if (one.problems, one.remedy) == (pair, remedy)]
        worked, tried = sum(one.worked for one in found), sum(one.tried for one in found)
        return (expected * _WORTH + worked) / (_WORTH + tried)

    def to_json(self) -> dict[str, Any]:
        """Plain values."""
        return {
            "provenance": dict(self.provenance),
            "pairs": [one.to_json() for one in self.pairs],
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Self:
        """What `to_json` gave."""
        pairs = tuple(Combination.from_json(one) for one in data.get("pairs", []))
        return cls(pairs, dict(data.get("provenance", {})))


def fit(
    results: Iterable[tuple[Sequence[str], str, bool]],
    provenance: Mapping[str, str] | None = None,
) -> Ranking:
    """A ranking from single repairs of combinations: (problems, remedy, all of them gone).

    A combination of more than two counts for each of its pairs.
    """
    counts: dict[tuple[tuple[str, str], str], list[bool]] = {}
    for problems, remedy, gone in results:
        for first, second in combinations(sorted(set(problems)), 2):
            counts.setdefault(((first, second), remedy), []).append(gone)
    pairs = tuple(
        Combination(pair, remedy, sum(found), len(found))
        for (pair, remedy), found in sorted(counts.items())
    )
    return Ranking(pairs, dict(provenance or {}))


@cache
def learned() -> Ranking:
    """The ranking that comes with the package."""
    text = (files("paramedic.prescribe") / FILE).read_text(encoding="utf-8")
    return Ranking.from_json(json.loads(text))


def ranked(
    remedies: Mapping[str, Sequence[Remedy]],
    ranking: Ranking | None = None,
    effects: Iterable[str] = (),
) -> tuple[Remedy, ...]:
    """The remedies of all problems, each once, the single best first.

    `remedies` maps each problem that nothing else explains, the root first, to what is advised
    against it; `effects` are the problems that they bring about.
    """
    table = learned() if ranking is None else ranking
    sure = {(slug, one.slug): one.confidence for slug in remedies for one in remedies[slug]}

    def score(remedy: Remedy) -> float:
        alone = {slug: sure.get((slug, remedy.slug), UNTREATED) for slug in remedies}
        relieved = RELIEF * max(alone.values())
        alone |= {slug: relieved for slug in effects if slug not in alone}
        return _score(remedy.slug, alone, table)

    def order(remedy: Remedy) -> tuple[Any, ...]:
        return (-round(score(remedy), 3), *_place(remedy))

    return tuple(sorted(_once(remedies), key=order))


def direct_first(remedies: Sequence[Remedy]) -> tuple[Remedy, ...]:
    """For a reader: what undoes the first problem itself comes before what relieves it.

    A rate that is too high is lowered, even if clipping ended as many of these runs. What acts on
    a run goes by the ranking alone.
    """
    first = remedies[0].against if remedies else ()
    direct = {_DIRECT[problem] for problem in first if problem in _DIRECT}
    return tuple(sorted(remedies, key=lambda remedy: remedy.slug not in direct))


def _score(remedy: str, alone: Mapping[str, float], table: Ranking) -> float:
    """How likely a remedy ends all problems, the first of which counts twice.

    `alone` says how likely it ends each of them.
    """
    first = next(iter(alone.values()))
    if len(alone) == 1:
        return first
    joint = prod(
        table.both(pair, remedy, alone[pair[0]] * alone[pair[1]]) for pair in combinations(alone, 2)
    )
    # Each problem is in one pair less than there are problems.
    return float(joint ** (1 / (len(alone) - 1))) * first


def _once(remedies: Mapping[str, Sequence[Remedy]]) -> list[Remedy]:
    """A remedy against several problems is one remedy, with the values of the first of them."""
    found: dict[str, Remedy] = {}
    for slug, several in remedies.items():
        for remedy in several:
            known = found.get(remedy.slug)
            if known is None:
                found[remedy.slug] = replace(remedy, against=remedy.against or (slug,))
            else:
                both = dict.fromkeys((*known.against, *(remedy.against or (slug,))))
                found[remedy.slug] = replace(known, against=tuple(both))
    return list(found.values())


def _place(remedy: Remedy) -> tuple[int, int, str]:
    """Between equals: by family, then the safer, then by name."""
    family = {cure.slug: cure.family for cure in cures()}.get(remedy.slug, Family.ARCHITECTURE)
    return _FAMILIES.index(family), _SAFETIES.index(remedy.safety), remedy.slug


def told(finding: Finding) -> bool:
    """Whether a finding is more than a note."""
    return finding.severity is not Severity.INFO


def emergency(diagnosis: Diagnosis, remedies: Sequence[Remedy]) -> Emergency | None:
    """All that is wrong as one event; None if fewer than two things are.

    Mere notes do not make an emergency.
    """
    found = [one for one in diagnosis.findings if told(one)]
    if len(found) < 2:
        return None
    step = max(finding.step for finding in found)
    return Emergency(step, tuple(finding.slug for finding in found), tuple(remedies))
