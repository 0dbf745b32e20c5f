"""What came out of pairs of live studies: pure, from what each trial left behind."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

from paramedic.hpo.simulator import time_saved, top_ten


@dataclass(frozen=True, slots=True)
class Ended:
    """A trial that ended in time.

    Args:
        end: seconds since the start of the study.
        accuracy: its best; None if it was pruned or failed, and is no candidate.
        how: decision and cause, if a verdict ended it.
    """

    end: float
    accuracy: float | None
    how: str = ""

    @property
    def value(self) -> float:
        """As the simulator has it: less is better, infinite is none."""
        return math.inf if self.accuracy is None else -self.accuracy

    def to_json(self) -> dict[str, Any]:
        return {"end": self.end, "accuracy": self.accuracy, "how": self.how}

    @classmethod
    def from_json(cls, told: Mapping[str, Any]) -> Self:
        return cls(told["end"], told["accuracy"], told["how"])


def summarize(pairs: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Per sampler the means over its pairs, and how the trials with diagnosis ended."""
    samplers: dict[str, list[Mapping[str, Any]]] = {}
    for pair in pairs:
        samplers.setdefault(pair["sampler"], []).append(pair)
    return {
        "budget": pairs[0]["budget"],
        "seeds": len({pair["seed"] for pair in pairs}),
        "samplers": {name: _sampler(some) for name, some in samplers.items()},
    }


def _sampler(pairs: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    scores = [score(pair) for pair in pairs]
    trials = [one for pair in pairs for one in _trials(pair, "with")]
    means = {name: _mean(one[name] for one in scores) for name in scores[0]}
    return {
        **means,
        "reached_in": sum(one["reached"] is not None for one in scores),
        "all_trials_with": len(trials),
        "ended": dict(Counter(one.how for one in trials if one.how).most_common()),
    }


def score(pair: Mapping[str, Any]) -> dict[str, float | None]:
    """One pair.

    `needed` are the seconds in which the study without found its best value, `reached` those in
    which the study with had one as good; None if it never had.
    """
    ours, plain = _trials(pair, "with"), _trials(pair, "without")
    best = min((one.value for one in plain), default=math.inf)
    if math.isinf(best) or all(math.isinf(one.value) for one in ours):
        raise ValueError(
            f"No trial of {pair['sampler']} ended in {pair['budget']:g} seconds: give more time."
        )
    return {
        "best_with": -min(one.value for one in ours),
        "best_without": -best,
        "trials_with": len(ours),
        "trials_without": len(plain),
        "top_ten": top_ten(ours, plain),
        "time_saved": time_saved(ours, plain),
        "needed": _first(plain, best),
        "reached": _first(ours, best),
        "processor_with": pair["with"]["processor"],
        "processor_without": pair["without"]["processor"],
    }


def _trials(pair: Mapping[str, Any], which: str) -> list[Ended]:
    return [Ended.from_json(one) for one in pair[which]["trials"]]


def _first(trials: Sequence[Ended], value: float) -> float | None:
    return next((one.end for one in trials if one.value <= value), None)


def _mean(values: Iterable[float | None]) -> float | None:
    """Of those that there are."""
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if known else None
