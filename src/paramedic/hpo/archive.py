"""The other trials of an Optuna study, to compare one with: those that have ended are read once.

Every epoch of every trial asks for them, and a study may have thousands.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Iterable, Sequence
from weakref import WeakKeyDictionary

import numpy as np
from optuna import Study
from optuna.study import StudyDirection
from optuna.trial import FrozenTrial

from paramedic.hpo.sampling import KEY
from paramedic.hpo.standing import Others, Table, table
from paramedic.hpo.verdict import LOSSES

TOLD_LOSSES = "losses"  # in the attribute with the verdict

_lock = threading.Lock()
_archives: WeakKeyDictionary[Study, Archive] = WeakKeyDictionary()


def others(study: Study, number: int, planned: int = 0) -> Others:
    """What the other trials than `number` reported, running ones too; less is better.

    `planned` are the epochs that the tables have at least.
    """
    trials = study.get_trials(deepcopy=False)
    with _lock:
        archive = _archives.get(study)
        if archive is None:
            archive = _archives[study] = Archive(study.direction is StudyDirection.MAXIMIZE)
        ended, running = archive.parted(trials)
    more = archive.read(one for one in running if one.number != number)
    return _joined([_empty(planned), ended, more])


class Archive:
    """The trials of one study that have ended."""

    def __init__(self, maximizes: bool) -> None:
        self._sign = -1.0 if maximizes else 1.0
        self._numbers: set[int] = set()
        self._others = _empty()

    def parted(self, trials: Sequence[FrozenTrial]) -> tuple[Others, list[FrozenTrial]]:
        """Those among all trials that have ended, and the running ones."""
        unread = [one for one in trials if one.number not in self._numbers]
        new = [one for one in unread if one.state.is_finished()]
        if new:
            self._numbers.update(one.number for one in new)
            self._others = _joined([self._others, self.read(new)])
        return self._others, [one for one in unread if not one.state.is_finished()]

    def read(self, trials: Iterable[FrozenTrial]) -> Others:
        """The curves of those that reported anything."""
        reported = [one for one in trials if one.intermediate_values]
        values = [
            [self._sign * value for _, value in sorted(one.intermediate_values.items())]
            for one in reported
        ]
        told = [_losses(one) for one in reported]
        losses = ([one[name] for one in told if name in one] for name in LOSSES)
        return Others(table(values), tuple(table(some) for some in losses))


def _losses(trial: FrozenTrial) -> dict[str, list[float]]:
    """The losses of a watched trial by epoch; only those that it told."""
    told = trial.user_attrs.get(KEY)
    losses = told.get(TOLD_LOSSES) if isinstance(told, dict) else None
    if not isinstance(losses, dict):
        return {}
    return {
        name: [math.nan if one is None else float(one) for one in values]
        for name, values in losses.items()
        if any(one is not None for one in values)
    }


def _empty(planned: int = 0) -> Others:
    nothing = np.empty((0, planned))
    return Others(nothing, (nothing,) * len(LOSSES))


def _joined(parts: Sequence[Others]) -> Others:
    losses = zip(*(one.losses for one in parts), strict=True)
    return Others(_below([one.values for one in parts]), tuple(_below(some) for some in losses))


def _below(tables: Sequence[Table]) -> Table:
    """The tables one below the other; a trial that ended earlier keeps its last value."""
    width = max(one.shape[1] for one in tables)
    filled = [
        one if one.shape[1] == width else np.pad(one, ((0, 0), (0, width - one.shape[1])), "edge")
        for one in tables
        if len(one)
    ]
    if len(filled) == 1:
        return filled[0]
    return np.concatenate(filled) if filled else np.empty((0, width))
