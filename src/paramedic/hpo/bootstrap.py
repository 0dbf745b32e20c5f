"""How sure the scores of a rule are: many studies drawn from the recorded trials.

Each draw is a pair of studies as long as the recorded one, or as asked for, with trials and their
order at random (with repetition), played twice: the rule on the one and the baseline on the other,
and the other way round. All draws together have each recorded trial equally often (a balanced
bootstrap): so luck weighs on both sides alike. The interval holds 95 % of the draws.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from paramedic.hpo.rivals import Rule
from paramedic.hpo.simulator import Score, causes, play, score
from paramedic.hpo.timeline import Timeline

Places = NDArray[np.int64]
_LONGER = 6  # times as many trials as the baseline has are drawn for the rule


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
    length = length or len(pool)
    streams = _streams(len(pool), draws, length, np.random.default_rng(seed))
    scores = [
        score(rule, [pool[place] for place in ours], [pool[place] for place in others], length)
        for ours, others in streams
    ]
    return Report(name, len(pool), summed(scores), causes(play(pool, rule)))


def _streams(
    size: int, draws: int, length: int, random: np.random.Generator
) -> Iterator[tuple[Places, Places]]:
    """What the rule plays and what the baseline plays: places in the pool, each pair both ways."""
    first = _balanced(size, (draws, 2, length), random)
    later = _balanced(size, (draws, 2, (_LONGER - 1) * length), random)
    for one, other in np.concatenate([first, later], axis=2):
        yield one, other
        yield other, one


def _balanced(size: int, shape: tuple[int, ...], random: np.random.Generator) -> Places:
    """Places in a pool of this size at random, each equally often or once more."""
    places = np.arange(math.prod(shape)) % size
    return random.permutation(places).reshape(shape)


def summed(scores: Sequence[Score]) -> dict[str, Interval]:
    """Mean and interval of each measure."""
    found = {}
    for name in asdict(scores[0]):
        values = np.array([getattr(one, name) for one in scores])
        low, high = np.percentile(values, [2.5, 97.5])
        found[name] = Interval(float(values.mean()), float(low), float(high))
    return found
