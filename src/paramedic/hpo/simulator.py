"""Replaying a recorded study under any rule, without training.

Trials run one after the other in a given order, each until it ends or a rule ends it. What a rule
stops is no candidate any more; what it calls finished keeps the best value it had by then.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol

from paramedic.hpo.memory import Memory
from paramedic.hpo.rivals import Never, Rule
from paramedic.hpo.timeline import Timeline
from paramedic.hpo.verdict import Decision

_GOOD = 0.1  # the best tenth of the trials are good
_TEN = 10  # the best that are looked for


class Remembered(Protocol):
    """A trial that has ended: when, and with which value; less is better, infinite is none."""

    @property
    def end(self) -> float: ...

    @property
    def value(self) -> float: ...


@dataclass(frozen=True, slots=True)
class Run:
    """What became of one trial: when it ended, and the value it is remembered by, if any."""

    trial: Timeline
    decision: Decision
    cause: str
    end: float  # seconds since the start of the study
    value: float  # infinite if it was stopped


def play(order: Iterable[Timeline], rule: Rule, budget: float = math.inf) -> list[Run]:
    """Run the trials in this order until the budget of seconds is spent.

    The trial during which it is spent does not count.
    """
    trials = list(order)
    memory = Memory(max((len(one.values) for one in trials), default=0), len(trials))
    clock, runs = 0.0, []
    for trial in trials:
        run, reached = _played(trial, rule, memory, clock)
        if run.end > budget:
            break
        memory.add(trial.bests, reached, trial.losses)
        clock = run.end
        runs.append(run)
    return runs


def _played(trial: Timeline, rule: Rule, memory: Memory, clock: float) -> tuple[Run, int]:
    """The run, and how many epochs it came to."""
    for visit, verdict in rule.verdicts(trial, memory):
        if verdict.decision is Decision.CONTINUE:
            continue
        end = clock + trial.clock(visit)
        finished = verdict.decision is Decision.FINISHED
        value = trial.best_after(visit.epoch) if finished else math.inf
        return Run(trial, verdict.decision, verdict.cause, end, value), visit.epoch
    end = clock + trial.seconds[-1]
    return Run(trial, Decision.CONTINUE, "", end, trial.best), len(trial.values)


@dataclass(frozen=True, slots=True)
class Score:
    """How a rule did in one replay, against running every trial to its end.

    Args:
        time_saved: TSBA, the share of time saved in reaching the best value of the baseline; -1
            if it was never reached.
        top_ten: Top10HR, the share of the ten best of both, each with its own order of trials,
            that are the rule's; no rule at all has a half.
        trials: how many times as many trials were run in the same time.
        lost: the share of good trials (the best tenth) that were stopped.
        cut: the share of good trials that were called finished before they were good.
        missed: of the ten best of all trials that were run in the time of the baseline, if each
            had come to its end, the share that was ended before it was as good.
        spent: the share of the time of all trials that was spent on them.
    """

    time_saved: float
    top_ten: float
    trials: float
    lost: float
    cut: float
    missed: float
    spent: float


def score(
    rule: Rule, stream: Sequence[Timeline], other: Sequence[Timeline], length: int = 0
) -> Score:
    """Play a rule on a stream of trials, and the baseline on its first part and on another one.

    Args:
        rule: what ends trials.
        stream: enough trials for the rule.
        other: what the baseline has in the same time; a few more than `length`, since it may have
            faster trials.
        length: how many trials of the stream the baseline plays; as many as `other` has, if not
            given.
    """
    first = stream[: length or len(other)]
    base = play(first, Never())
    budget = base[-1].end
    runs = play(stream, rule, budget)
    same = play(first, rule)  # the same trials as the baseline
    lost, cut = _harm(same, math.ceil(_GOOD * len(same)))
    return Score(
        time_saved=time_saved(same, base),
        top_ten=top_ten(runs, play(other, Never(), budget)),
        trials=len(runs) / len(base),
        lost=lost,
        cut=cut,
        missed=sum(_harm(runs, _TEN)),
        spent=same[-1].end / budget,
    )


def time_saved(runs: Sequence[Remembered], base: Sequence[Remembered]) -> float:
    """TSBA: the share of time saved in reaching the best value of the baseline; -1 if never."""
    best = min(run.value for run in base)
    needed = next(run.end for run in base if run.value <= best)
    reached = next((run.end for run in runs if run.value <= best), math.inf)
    return max((needed - reached) / needed, -1.0)


def top_ten(runs: Sequence[Remembered], rivals: Sequence[Remembered]) -> float:
    """Top10HR: the share of the ten best of both that are of the first.

    Those at the border are shared in proportion, since many trials may be equally good.
    """
    ours = sorted(run.value for run in runs if math.isfinite(run.value))
    theirs = sorted(run.value for run in rivals if math.isfinite(run.value))
    pooled = sorted([*ours, *theirs])[:_TEN]
    if not pooled:
        return 0.0
    border = pooled[-1]
    sure, rivals_sure = bisect_left(ours, border), bisect_left(theirs, border)
    at, rivals_at = ours.count(border), theirs.count(border)
    places = len(pooled) - sure - rivals_sure
    return (sure + places * at / (at + rivals_at)) / len(pooled)


def _harm(runs: Sequence[Run], best: int) -> tuple[float, float]:
    """What happened to the best so many of the trials: the share that was stopped, and finished."""
    if not runs:
        return 0.0, 0.0
    values = sorted(run.trial.best for run in runs)
    border = values[min(best, len(values)) - 1]
    good = [run for run in runs if run.trial.best <= border]
    lost = sum(run.decision is Decision.STOP for run in good)
    cut = sum(run.decision is Decision.FINISHED and run.value > border for run in good)
    return lost / len(good), cut / len(good)


def causes(runs: Sequence[Run]) -> dict[str, int]:
    """How many trials ended for which cause, the most frequent first."""
    return dict(Counter(run.cause for run in runs if run.cause).most_common())
