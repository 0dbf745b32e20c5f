"""How sure the scores of a rule are: many studies drawn from the recorded trials.

Each draw is a study as long as the recorded one, or as asked for, with trials and their order at
random (with repetition), and an independent one for the baseline. The interval holds 95 % of
them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from paramedic.hpo.rivals import Rule
from paramedic.hpo.simulator import Score, causes, play, score
from paramedic.hpo.timeline import Timeline

_LONGER = 4  # times as many trials as the baseline has are drawn for the rule


@dataclass(frozen=True, slots=True)
class Interval:
    """The mean over the draws, and where 95 % of them lie."""

    mean: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Report:
    """What a rule did to a study: each measure of `Score`, and why trials ended."""

    rule: str
    trials: int
    measures: dict[str, Interval]
    causes: dict[str, int]

    def to_json(self) -> dict[str, Any]:
        """Plain values."""
        return asdict(self)


def bootstrap(
    name: str,
    rule: Rule,
    pool: Sequence[Timeline],
    draws: int = 100,
    seed: int = 0,
    length: int = 0,
) -> Report:
    """Replay a rule on studies drawn from the pool; the same seed draws the same for each rule.

    `length` is how many trials the baseline of a study has; as many as the pool, if not given.
    """
    if len(pool) < 2:
        raise ValueError(f"At least two recorded trials are needed but there are {len(pool)}.")
    randoms = (np.random.default_rng([seed, draw]) for draw in range(draws))
    scores = [_drawn(rule, pool, random, length or len(pool)) for random in randoms]
    return Report(name, len(pool), summed(scores), causes(play(pool, rule)))


def _drawn(rule: Rule, pool: Sequence[Timeline], random: np.random.Generator, length: int) -> Score:
    stream = random.integers(len(pool), size=_LONGER * length)
    other = random.integers(len(pool), size=length)
    return score(rule, [pool[place] for place in stream], [pool[place] for place in other])


def summed(scores: Sequence[Score]) -> dict[str, Interval]:
    """Mean and interval of each measure."""
    found = {}
    for name in asdict(scores[0]):
        values = np.array([getattr(one, name) for one in scores])
        low, high = np.percentile(values, [2.5, 97.5])
        found[name] = Interval(float(values.mean()), float(low), float(high))
    return found
