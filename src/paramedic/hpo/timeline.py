"""A recorded trial as the judge would have met it: its visits, and the clock."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

from paramedic.diagnose.case import Case
from paramedic.diagnose.detector import Detector
from paramedic.diagnose.engine import Engine
from paramedic.diagnose.rules import DEFAULT
from paramedic.hpo.policy import Rules, Thresholds, detectors_of, policy_of, staged
from paramedic.hpo.recording import Goal, RecordedTrial, StudyFolder
from paramedic.hpo.standing import lowest
from paramedic.hpo.verdict import Losses, Visit, losses_of
from paramedic.trace.reader import Trace
from paramedic.trace.replay import tell
from paramedic.types import Epoch


@dataclass(frozen=True, slots=True)
class Timeline:
    """One recorded trial: values are turned such that less is better.

    `values` and `seconds` have one entry per epoch, `bests` the best value up to it, and each of
    `losses` the lowest up to it, none if no visits tell; `steps` is the last step of each epoch,
    by which the time of a visit between two epochs is estimated.
    """

    number: int
    values: tuple[float, ...]
    seconds: tuple[float, ...]
    visits: tuple[Visit, ...] = ()
    steps: tuple[int, ...] = ()
    bests: tuple[float, ...] = field(init=False)
    losses: tuple[tuple[float, ...], ...] = field(init=False)

    def __post_init__(self) -> None:
        told = [visit.losses for visit in self.visits if not visit.between]
        known = zip(*told, strict=True) if len(told) == len(self.values) else ()
        object.__setattr__(self, "bests", lowest(self.values))
        object.__setattr__(self, "losses", tuple(map(_lowest_known, known)))

    @property
    def best(self) -> float:
        """The best value of the whole trial."""
        return self.bests[-1]

    def best_after(self, epochs: int) -> float:
        """The best value after so many epochs; infinite before the first has ended."""
        return self.bests[min(epochs, len(self.bests)) - 1] if epochs > 0 else math.inf

    def clock(self, visit: Visit) -> float:
        """Seconds since the start of the trial at a visit."""
        before = self.seconds[visit.epoch - 1] if visit.epoch else 0.0
        if not visit.between or visit.epoch >= len(self.seconds) or not self.steps:
            return before
        first = self.steps[visit.epoch - 1] if visit.epoch else -1
        share = (visit.step - first) / max(self.steps[visit.epoch] - first, 1)
        return before + min(max(share, 0.0), 1.0) * (self.seconds[visit.epoch] - before)


def _lowest_known(losses: Sequence[float]) -> tuple[float, ...]:
    return () if all(map(math.isnan, losses)) else lowest(losses)


def timelines(
    folder: StudyFolder,
    rules: Rules = DEFAULT,
    thresholds: Thresholds | None = None,
    part: Callable[[int], bool] = lambda number: True,
) -> list[Timeline]:
    """The trials of a recorded study, examined by the detectors of a rule set, or by none.

    `part` chooses trials by their number.
    """
    goal = folder.goal
    trials = [trial for trial in folder.trials() if part(trial.number)]
    if not rules:
        return [timeline(trial, goal) for trial in trials]
    name = rules if isinstance(rules, str) else DEFAULT
    detectors = detectors_of(rules, staged(name, goal.epochs, thresholds))
    urgent = policy_of(rules).fatal
    return [timeline(trial, goal, detectors, urgent) for trial in trials]


def timeline(
    trial: RecordedTrial, goal: Goal, detectors: Sequence[Detector] = (), urgent: Sequence[str] = ()
) -> Timeline:
    """One trial; without detectors, or without a trace, there is nothing to visit it for."""
    values = tuple(map(goal.badness, trial.values))
    bare = Timeline(trial.number, values, trial.seconds)
    if trial.trace is None or not detectors:
        return bare
    listener = _Listener(detectors, urgent, goal.metric)
    with Trace.open(trial.trace) as trace:
        tell(trace, listener)
    steps = tuple(visit.step for visit in listener.visits if not visit.between)
    with_values = (replace(visit, value=_known(bare, visit)) for visit in listener.visits)
    return replace(bare, visits=tuple(with_values), steps=steps)


def _known(trial: Timeline, visit: Visit) -> float:
    best = trial.best_after(visit.epoch)
    return best if math.isfinite(best) else math.nan


class _Listener(Engine):
    """Examines a run that is told again, and notes a visit per epoch and per urgent case."""

    def __init__(self, detectors: Sequence[Detector], urgent: Sequence[str], metric: str) -> None:
        # As the monitor of a live trial does, and not at every frame.
        super().__init__(detectors, on_open=self._opened)
        self.visits: list[Visit] = []
        self._urgent, self._metric = frozenset(urgent), metric
        self._ended = 0
        self._since = -1  # as at the bedside
        self._losses: Losses = ()

    def epoch(self, epoch: Epoch) -> None:
        super().epoch(epoch)
        self._ended += 1
        self._losses = losses_of(epoch.values, self._metric, partial(self.mean_loss, self._since))
        self._meet(epoch.step, between=False)

    def _opened(self, case: Case) -> None:
        if case.finding.slug in self._urgent:
            self._meet(case.opened, between=True)

    def _meet(self, step: int, *, between: bool) -> None:
        findings = self.current(self._since).findings
        self.visits.append(Visit(self._ended, step, findings, math.nan, between, self._losses))
        self._since = self._since if between else step
