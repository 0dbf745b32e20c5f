"""Optuna: hopeless trials end for a reason, and the sampler learns from it.

```python
study = optuna.create_study(pruner=DiagnosisPruner(MedianPruner()))

def objective(trial):
    model, optimizer = ...
    with paramedic.hpo.optuna.watch(trial, model, optimizer) as monitor:
        for epoch in range(20):
            ...
            monitor.epoch(train_loss=..., val_loss=loss)
            trial.report(loss, epoch)
            if trial.should_prune():
                raise optuna.TrialPruned
            if monitor.finished:        # nothing to gain any more: keep the value, save the time
                break
    return loss

study.optimize(objective, n_trials=100)
print(paramedic.hpo.optuna.summary(study))
```
"""

from __future__ import annotations

import logging
import math
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from torch.optim import Optimizer

from paramedic.hpo.bedside import OVERHEAD, Bedside, Orders
from paramedic.hpo.policy import Policy, Rules
from paramedic.hpo.standing import Others
from paramedic.hpo.summary import StudySummary, summary
from paramedic.hpo.verdict import Verdict
from paramedic.optional import require
from paramedic.probe.attach import Models
from paramedic.probe.options import one_of

require("optuna", extra="optuna", needed_by="paramedic.hpo.optuna")

import optuna  # noqa: E402
from optuna.pruners import BasePruner  # noqa: E402
from optuna.study import StudyDirection  # noqa: E402
from optuna.trial import FrozenTrial, TrialState  # noqa: E402

from paramedic.hpo.archive import TOLD_LOSSES, others  # noqa: E402
from paramedic.hpo.sampling import KEY, PENALIZED, PenalizingSampler, worst  # noqa: E402

__all__ = [
    "DiagnosisPruner", "PenalizingSampler", "SickTrial", "StudySummary", "TrialMonitor", "summary",
    "watch",
]  # fmt: skip

_log = logging.getLogger("paramedic")
_lock = threading.Lock()
ON_SICK = ("prune", "penalize", "auto")


class SickTrial(optuna.TrialPruned):
    """Ends a trial between two epochs: what it has is fatal."""


class DiagnosisPruner(BasePruner):
    """Prunes sick trials and those than which too many were better, then what `wrapped` prunes.

    It only reads the verdict, which `watch` writes to `trial.user_attrs["paramedic"]`.

    Args:
        wrapped: a pruner that is asked about the other trials; None asks nobody.
    """

    def __init__(self, wrapped: BasePruner | None = None) -> None:
        if wrapped is not None and not isinstance(wrapped, BasePruner):
            raise TypeError(f"`wrapped` must be a pruner or None but got {wrapped!r}.")
        self.wrapped = wrapped

    def prune(self, study: optuna.Study, trial: FrozenTrial) -> bool:
        told = trial.user_attrs.get(KEY)
        if isinstance(told, dict) and Verdict.from_json(told).prunes:
            return True
        return self.wrapped is not None and self.wrapped.prune(study, trial)


def watch(  # noqa: PLR0913 - these are the settings a user knows, each with a default
    trial: optuna.Trial,
    model: Models,
    optimizer: Optimizer | Sequence[Optimizer],
    *,
    rules: Rules = "default",
    policy: Policy | None = None,
    warm_up: int | None = None,
    epochs: int | None = None,
    metric: str | None = None,
    on_sick: str = "auto",
    shadow: bool = False,
    interrupt: bool = True,
    trace: str | Path | None = None,
    overhead: float | None = OVERHEAD,
    thresholds: Mapping[str, Mapping[str, Any]] | None = None,
) -> TrialMonitor:
    """Watch a trial: call `monitor.epoch(...)` once per epoch, then `trial.should_prune()`.

    Args:
        trial: what Optuna handed to the objective.
        model: what is trained.
        optimizer: the optimizer, or a list of them.
        rules: `default`, `bttackler`, or a list of codes (`["N001", "G"]`).
        policy: when a trial ends; by default that of the rules.
        warm_up: epochs in which only what is fatal ends the trial.
        epochs: the planned epochs, by which the age of a trial is told, what was saved, and
            BTTackler's stages; as many as the other trials had, if not given.
        metric: which of the values given to `epoch` counts; by default `val_loss`, or `val_acc`
            if the study maximizes.
        on_sick: how the sampler learns of a trial that was stopped. `prune`: as of any pruned
            trial; `penalize`: as one that ended with the worst value of the study; `auto`:
            `penalize` for the samplers that do not look at pruned trials (GP, CMA-ES).
        shadow: only record what would have been done.
        interrupt: whether what is fatal ends the trial between two epochs, by an exception from
            `optimizer.step()`; else at the end of the epoch.
        trace: a file to record the trial to.
        overhead: the share of the time that watching may cost.
        thresholds: other thresholds than the defaults: `{"G001": {"ratio": 1e-4}}`.
    """
    one_of("on_sick", on_sick, ON_SICK)
    study = trial.study
    if len(study.directions) > 1:
        raise ValueError("A study with several objectives cannot be pruned, so not watched either.")
    maximizes = study.direction is StudyDirection.MAXIMIZE
    orders = Orders(
        rules, policy, warm_up, epochs, metric, "maximize" if maximizes else "minimize", shadow,
        interrupt, trace, overhead, thresholds or {},
    )  # fmt: skip
    _prepare(study, on_sick)
    return TrialMonitor(trial, model, optimizer, orders)


def _prepare(study: optuna.Study, on_sick: str) -> None:
    """The sampler learns of sick trials; the pruner has to be ours."""
    name = type(study.sampler).__name__
    wanted = on_sick == "penalize" or (on_sick == "auto" and name in PENALIZED)
    with _lock:
        if wanted and not isinstance(study.sampler, PenalizingSampler):
            study.sampler = PenalizingSampler(study.sampler)
        if not isinstance(study.pruner, DiagnosisPruner) and not hasattr(study, "_unread"):
            study._unread = True  # type: ignore[attr-defined]
            _log.warning(
                "The pruner of the study is a %s, which does not read diagnoses: use "
                "`DiagnosisPruner(%s(...))`, or ask `monitor.should_stop`.",
                *[type(study.pruner).__name__] * 2,
            )


class TrialMonitor(Bedside):
    """Watches one trial of a study; a context manager.

    `verdict`, `finished`, `should_stop` and `findings` tell how it stands; `monitor` is the whole
    monitor. What is decided is written to `trial.user_attrs["paramedic"]`, and in words to
    `trial.user_attrs["diagnosis"]`.
    """

    def __init__(
        self,
        trial: optuna.Trial,
        model: Models,
        optimizer: Optimizer | Sequence[Optimizer],
        orders: Orders,
    ) -> None:
        self._trial = trial
        self._maximizes = orders.direction == "maximize"
        self._planned = orders.epochs
        super().__init__(
            model, optimizer, orders, peers=self._others, told=self._write, broken=_broken
        )

    def _others(self) -> Others:
        """What the other trials reported; less is better."""
        return others(self._trial.study, self._trial.number, self._planned or 0)

    def _write(self, verdict: Verdict) -> None:
        told = {**verdict.to_json(), "epochs": self.epochs, "seconds": self.seconds}
        told[TOLD_LOSSES] = {name: _plain(losses) for name, losses in self.losses.items()}
        if self._planned is not None:
            told["planned"] = self._planned
        self._trial.set_user_attr(KEY, told)
        if verdict.cause:
            self._trial.set_user_attr("diagnosis", f"{verdict}: {verdict.why}")

    def _end(self, pruned: bool) -> None:
        self.close()
        self._write(self.final)
        if pruned:
            self._leave_a_value()

    def _leave_a_value(self) -> None:
        """A pruned trial whose last value is not finite has none, and breaks some samplers."""
        study = self._trial.study
        everything = study.get_trials(deepcopy=False)
        own = next(one for one in everything if one.number == self._trial.number)
        last = own.last_step
        if last is not None and math.isfinite(own.intermediate_values[last]):
            return
        value = worst([one for one in everything if _counts(one)], study.direction)
        if value is None:
            value = -_BAD if self._maximizes else _BAD
        self._trial.report(value, 0 if last is None else last + 1)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._end(pruned=isinstance(error, optuna.TrialPruned))


_BAD = 1e3  # of a trial that is the first and reported nothing finite


def _plain(losses: Sequence[float]) -> list[float | None]:
    return [one if math.isfinite(one) else None for one in losses]


def _counts(trial: FrozenTrial) -> bool:
    return trial.state in (TrialState.COMPLETE, TrialState.PRUNED, TrialState.RUNNING)


def _broken(verdict: Verdict) -> Exception:
    return SickTrial(f"{verdict}: {verdict.why}")
