"""A study as it is shown: trials by cause of ending, time saved, the best over time."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from paramedic.hpo.recording import Goal, StudyFolder
from paramedic.hpo.rivals import Diagnosed, Never
from paramedic.hpo.simulator import Run, play
from paramedic.hpo.summary import StudySummary, summary
from paramedic.hpo.timeline import timelines
from paramedic.hpo.verdict import Decision

if TYPE_CHECKING:
    from optuna import Study
    from optuna.trial import FrozenTrial

COMPLETE, STOPPED, FINISHED = "complete", "stopped", "finished early"
_DECISIONS = {"stop": STOPPED, "finished": FINISHED, "continue": COMPLETE}


@dataclass(frozen=True, slots=True)
class Trial:
    """One trial: how it ended, by which cause, the value it came to, and its seconds."""

    number: int
    ending: str
    cause: str
    value: float
    seconds: float
    why: str = ""


@dataclass(frozen=True, slots=True)
class Best:
    """The best value so far, after so many seconds."""

    name: str
    seconds: tuple[float, ...]
    values: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class StudyView:
    """What diagnosis did to a study, or would have done (`simulated`)."""

    name: str
    sentence: str
    metric: str
    direction: str
    trials: tuple[Trial, ...]
    causes: Mapping[str, int]
    saved: float
    seconds: float
    best: tuple[Best, ...]
    simulated: bool = False
    lost: tuple[int, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """What scripts draw."""
        return {
            "metric": self.metric,
            "best": [
                {"name": one.name, "seconds": one.seconds, "values": one.values}
                for one in self.best
            ],
        }


def study_view(study: Study, name: str = "study") -> StudyView:
    """Of an Optuna study whose trials were watched by `paramedic.hpo.optuna.watch`."""
    found, direction = summary(study), study.direction.name.lower()
    trials = tuple(_optuna_trial(one) for one in study.get_trials(deepcopy=False))
    return StudyView(
        name=name,
        sentence=_sentence(found, len(trials)),
        metric="value",
        direction=direction,
        trials=trials,
        causes=_causes(trials),
        saved=found.saved,
        seconds=sum(one.seconds for one in trials if math.isfinite(one.seconds)),
        best=(_best("this study", trials, direction),),
        simulated=found.shadow,
        lost=found.lost,
    )


def _optuna_trial(trial: FrozenTrial) -> Trial:
    told = trial.user_attrs.get("paramedic")
    verdict: Mapping[str, Any] = told if isinstance(told, dict) else {}
    ending = _DECISIONS.get(str(verdict.get("decision", "continue")), COMPLETE)
    state = trial.state.name.lower()
    if ending == COMPLETE and state != "complete":
        ending = state
    return Trial(
        number=trial.number,
        ending=ending,
        cause=str(verdict.get("cause", "")),
        value=math.nan if trial.value is None else trial.value,
        seconds=math.nan if trial.duration is None else trial.duration.total_seconds(),
        why=str(verdict.get("why", "")),
    )


def _sentence(found: StudySummary, trials: int) -> str:
    would = "would have been" if found.shadow else "were"
    stopped = sum(found.stopped.values())
    whole = found.seconds if found.shadow else found.seconds + found.saved
    return _told(would, stopped, found.finished, trials, found.saved / whole if whole else 0.0)


def _told(would: str, stopped: int, finished: int, trials: int, share: float) -> str:
    early = f" and {finished} finished early" if finished else ""
    saved = f", about {share:.0%} of the time saved" if share > 0 else ""
    return f"{stopped} of {trials} trials {would} stopped{early}{saved}."


def read_study(folder: Path) -> StudyView:
    """A recorded study, replayed under our rules beside what it was: nothing is trained."""
    recorded = StudyFolder(folder)
    goal, pool = recorded.goal, timelines(recorded)
    if not pool:
        raise ValueError(f"`{folder}` is a study without a trial that came to its end.")
    runs, base = play(pool, Diagnosed()), play(pool, Never())
    trials, whole = _played(runs, goal), base[-1].end
    saved = whole - runs[-1].end
    stopped = sum(run.decision is Decision.STOP for run in runs)
    early = sum(run.decision is Decision.FINISHED for run in runs)
    return StudyView(
        name=folder.name,
        sentence=_told("would have been", stopped, early, len(runs), saved / whole if whole else 0),
        metric=goal.metric,
        direction=goal.direction,
        trials=trials,
        causes=_causes(trials),
        saved=saved,
        seconds=whole,
        best=(
            _best("with diagnosis", trials, goal.direction),
            _best("as it was", _played(base, goal), goal.direction),
        ),
        simulated=True,
        lost=_lost(runs),
    )


def _played(runs: Sequence[Run], goal: Goal) -> tuple[Trial, ...]:
    sign = 1.0 if goal.direction == "minimize" else -1.0
    trials, before = [], 0.0
    for run in runs:
        ending = _DECISIONS[run.decision.value]
        value = sign * run.value if math.isfinite(run.value) else math.nan
        trials.append(Trial(run.trial.number, ending, run.cause, value, run.end - before))
        before = run.end
    return tuple(trials)


def _lost(runs: Sequence[Run]) -> tuple[int, ...]:
    """Trials of the best tenth that would have been stopped."""
    values = sorted(run.trial.best for run in runs)
    border = values[max(math.ceil(len(values) / 10), 1) - 1]
    return tuple(
        run.trial.number
        for run in runs
        if run.trial.best <= border and run.decision is Decision.STOP
    )


def _causes(trials: Sequence[Trial]) -> dict[str, int]:
    """How many trials ended how, those that came to their end last."""
    counted = Counter(one.cause or one.ending for one in trials if one.ending != COMPLETE)
    complete = sum(one.ending == COMPLETE for one in trials)
    return dict(counted.most_common()) | ({COMPLETE: complete} if complete else {})


def _best(name: str, trials: Sequence[Trial], direction: str) -> Best:
    seconds, values, clock = [], [], 0.0
    best = math.nan
    better = min if direction == "minimize" else max
    for one in trials:
        clock += one.seconds if math.isfinite(one.seconds) else 0.0
        if math.isfinite(one.value) and one.ending in (COMPLETE, FINISHED):
            best = better(best, one.value) if math.isfinite(best) else one.value
        seconds.append(clock)
        values.append(best)
    return Best(name, tuple(seconds), tuple(values))
