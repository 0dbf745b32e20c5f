"""Finding the settings of a policy on one part of the trials, and testing them on the other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from paramedic.hpo.bootstrap import Report, bootstrap
from paramedic.hpo.policy import Policy
from paramedic.hpo.rivals import Diagnosed
from paramedic.hpo.timeline import Timeline

# What is tried, one setting after the other, each with the best of those before.
CHOICES: dict[str, tuple[Any, ...]] = {
    "warm_up": (0, 1, 2, 4),
    "chance": (0.01, 0.025, 0.05, 0.08),
    "most": (0, 8, 12, 16, 24),
    "fewest": (3, 5, 8),
    "patience": (0.4, 0.5, 0.6, 0.7),
    "protect": (0.2, 0.3, 0.4),
}


@dataclass(frozen=True, slots=True)
class Calibration:
    """The policy that did best on the tuning part, and how it does on the other."""

    policy: Policy
    changed: dict[str, Any]
    tuning: tuple[Report, ...]
    testing: tuple[Report, ...]
    default: tuple[Report, ...]  # the policy it began with, on the other part
    tried: int = field(default=0)


def calibrate(
    pools: Sequence[Sequence[Timeline]], policy: Policy, *, draws: int = 20, allowed: float = 0.01
) -> Calibration:
    """Search the settings that save most while at most `allowed` of the good trials are harmed.

    Trials with an even number are the tuning part; `pools` are several studies, which share the
    settings.
    """
    tuning = [[one for one in pool if one.number % 2 == 0] for pool in pools]
    testing = [[one for one in pool if one.number % 2] for pool in pools]
    best, tried = policy, 1
    worth = _worth(best, tuning, draws, allowed)
    for name, values in CHOICES.items():
        for value in values:
            if value == getattr(best, name):
                continue
            other = best.changed(**{name: value})
            new, tried = _worth(other, tuning, draws, allowed), tried + 1
            if new > worth:
                best, worth = other, new
    changed = {name: getattr(best, name) for name in CHOICES}
    changed = {name: one for name, one in changed.items() if one != getattr(policy, name)}
    return Calibration(
        best,
        changed,
        _reports(best, tuning, draws),
        _reports(best, testing, draws),
        _reports(policy, testing, draws),
        tried,
    )


def _reports(policy: Policy, pools: Sequence[Sequence[Timeline]], draws: int) -> tuple[Report, ...]:
    return tuple(bootstrap("ours", Diagnosed(policy), pool, draws) for pool in pools)


def _worth(
    policy: Policy, pools: Sequence[Sequence[Timeline]], draws: int, allowed: float
) -> float:
    """Time saved and hits in the top ten; harm beyond what is allowed outweighs both."""
    worth = []
    for report in _reports(policy, pools, draws):
        measures = {name: one.mean for name, one in report.measures.items()}
        harm = measures["lost"] + measures["cut"]
        gain = (1 - measures["spent"]) + measures["top_ten"]
        worth.append(gain - 10 * max(harm - allowed, 0.0))
    return float(np.mean(worth))
