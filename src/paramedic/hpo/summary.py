"""What diagnosis did to a study: trials ended, by which cause, time saved, good ones at risk."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from optuna import Study

_BEST = 0.1  # the share of trials that are good


@dataclass(frozen=True, slots=True)
class TrialStory:
    """One trial as far as the summary goes; `value` is such that less is better."""

    number: int
    verdict: Mapping[str, Any]
    complete: bool
    value: float = math.nan


@dataclass(frozen=True, slots=True)
class StudySummary:
    """Counts and times; `print` it. In a shadow, `lost` are good trials that would have ended."""

    trials: int
    stopped: Mapping[str, int] = field(default_factory=dict)
    finished: int = 0
    seconds: float = 0.0
    saved: float = 0.0
    shadow: bool = False
    lost: tuple[int, ...] = ()

    def __str__(self) -> str:
        would = "would have been" if self.shadow else "were"
        total = sum(self.stopped.values())
        early = f"{self.finished} {would} finished early"
        lines = [f"{total} of {self.trials} trials {would} stopped, {early}."]
        lines += [f"  {count:4d}  {cause}" for cause, count in self.stopped.items()]
        if self.saved:
            whole = self.seconds if self.shadow else self.seconds + self.saved
            share = self.saved / whole if whole else 0.0
            lines.append(f"Time saved: about {self.saved:.3g} s of {whole:.3g} s ({share:.0%}).")
        if self.shadow:
            named = ", ".join(map(str, self.lost)) or "none"
            lines.append(f"Good trials (best tenth) that would have been lost: {named}.")
        return "\n".join(lines)


def summary(study: Study) -> StudySummary:
    """What diagnosis did to the study so far, from what the trials carry."""
    from optuna.study import StudyDirection
    from optuna.trial import TrialState

    sign = -1.0 if study.direction is StudyDirection.MAXIMIZE else 1.0
    stories = [
        TrialStory(
            one.number,
            one.user_attrs["paramedic"],
            one.state is TrialState.COMPLETE,
            math.nan if one.value is None else sign * one.value,
        )
        for one in study.get_trials(deepcopy=False)
        if isinstance(one.user_attrs.get("paramedic"), dict)
    ]
    return summarize(stories)


def summarize(stories: Sequence[TrialStory]) -> StudySummary:
    """The same from the stories of the trials."""
    stopped = [one for one in stories if one.verdict["decision"] == "stop"]
    finished = [one for one in stories if one.verdict["decision"] == "finished"]
    causes = Counter(str(one.verdict["cause"]) for one in stopped)
    shadow = any(one.verdict.get("shadow") for one in stories)
    good = _good(stories)
    return StudySummary(
        trials=len(stories),
        stopped=dict(causes.most_common()),
        finished=len(finished),
        seconds=sum(float(one.verdict["seconds"]) for one in stories),
        saved=_saved([*stopped, *finished], stories),
        shadow=shadow,
        lost=tuple(one.number for one in stopped if one.number in good) if shadow else (),
    )


def _good(stories: Sequence[TrialStory]) -> set[int]:
    """The best tenth of the trials that came to their end, one at least."""
    ranked = sorted(
        (one for one in stories if one.complete and math.isfinite(one.value)),
        key=lambda one: one.value,
    )
    count = max(1, math.ceil(_BEST * len(ranked)))
    return {one.number for one in ranked[:count]}


def _saved(ended: Sequence[TrialStory], stories: Sequence[TrialStory]) -> float:
    """Seconds, by the pace of each trial or, where none of its epochs ended, of the others."""
    longest = max((int(one.verdict["epochs"]) for one in stories), default=0)
    paces = [_pace(one) for one in stories if one.verdict["epochs"]]
    usual = sum(paces) / len(paces) if paces else 0.0
    total = 0.0
    for one in ended:
        planned = int(one.verdict.get("planned", longest))
        pace = _pace(one) if one.verdict["epochs"] else usual
        total += max(planned - int(one.verdict["epoch"]), 0) * pace
    return total


def _pace(story: TrialStory) -> float:
    return float(story.verdict["seconds"]) / int(story.verdict["epochs"])
