"""Watching one trial: what the monitor finds becomes visits, and visits become verdicts.

The same for every engine that runs trials; the adapters (`optuna.py`, `raytune.py`) say where the
values of the other trials are, where a verdict goes, and how a trial is broken off.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from torch import Tensor
from torch.optim import Optimizer
from torch.utils.hooks import RemovableHandle

from paramedic.diagnose.case import Case
from paramedic.diagnose.rules import DEFAULT
from paramedic.hpo.judge import Judge
from paramedic.hpo.policy import Policy, Rules, policy_of, staged
from paramedic.hpo.standing import Peers
from paramedic.hpo.verdict import LOSSES, Decision, Verdict, Visit, losses_of
from paramedic.probe.attach import Models, attach
from paramedic.probe.attendant import Bystander
from paramedic.probe.guard import Guard, aside
from paramedic.probe.monitor import Monitor
from paramedic.probe.options import Options
from paramedic.probe.unwatched import Unwatched
from paramedic.types import Finding, Remedy

OVERHEAD = 0.01  # of the time; the first looks and what is done once per trial come on top
_USUAL = {
    "minimize": ("val_loss", "loss", "train_loss"),
    "maximize": ("val_acc", "val_accuracy", "acc", "accuracy", "train_acc"),
}


@dataclass(frozen=True, slots=True)
class Orders:
    """How a trial is watched and judged; `paramedic.hpo.optuna.watch` explains the settings."""

    rules: Rules = DEFAULT
    policy: Policy | None = None
    warm_up: int | None = None
    epochs: int | None = None
    metric: str | None = None
    direction: str = "minimize"
    shadow: bool = False
    interrupt: bool = True
    trace: str | Path | None = None
    overhead: float | None = OVERHEAD
    thresholds: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)

    def judge(self) -> Judge:
        """Who judges."""
        policy = self.policy or policy_of(self.rules)
        if self.warm_up is not None:
            policy = policy.changed(warm_up=self.warm_up)
        return Judge(policy, self.shadow, self.epochs or 0)

    def options(self) -> Options:
        """How the monitor is set."""
        named = isinstance(self.rules, str)
        name = str(self.rules) if named else DEFAULT
        return Options(
            trace=self.trace,
            overhead=self.overhead,
            rules=name,
            select=() if named else tuple(self.rules),
            thresholds=staged(name, self.epochs, self.thresholds),
        )


class _Ear(Bystander):
    """Hears of each case at the step at which it is opened."""

    def __init__(self, heard: Callable[[Case], None]) -> None:
        self._heard = heard

    def case_opened(self, case: Case, remedies: Sequence[Remedy]) -> None:
        self._heard(case)


class Bedside:
    """Watches one trial until it is closed.

    `told` gets each verdict that differs from the one before; `broken` makes the exception that
    ends a trial between two epochs.
    """

    def __init__(
        self,
        model: Models,
        optimizer: Optimizer | Sequence[Optimizer],
        orders: Orders,
        *,
        peers: Peers,
        told: Callable[[Verdict], None],
        broken: Callable[[Verdict], Exception],
    ) -> None:
        self._judge, self._orders = orders.judge(), orders
        self._peers, self._told, self._broken = peers, told, broken
        self.visits: list[Visit] = []
        self.verdict = Verdict(Decision.CONTINUE, 0, -1)
        self.shadowed: Verdict | None = None  # the first that would have ended the trial
        self._best = math.inf
        self._told_last: tuple[dict[str, float], str] = {}, ""  # numbers, and which counts
        self._urgent = False
        self._since = -1  # the last step of the epoch before: what was not found since is gone
        self._began, self._ended = time.perf_counter(), math.nan
        self.monitor: Monitor = attach(
            model, optimizer, orders.options(), lambda patient: _Ear(self._hear)
        )
        self._hooks = self._listen(optimizer) if orders.interrupt else []

    def _listen(self, optimizer: Optimizer | Sequence[Optimizer]) -> list[RemovableHandle]:
        several = [optimizer] if isinstance(optimizer, Optimizer) else list(optimizer)
        return [one.register_step_post_hook(self._after_step) for one in several]

    # -- what happens ----------------------------------------------------------------------------

    def epoch(self, **values: float | Tensor) -> Verdict:
        """The numbers of an epoch; gives the verdict."""
        self.monitor.epoch(**values)
        self._note(values)
        self._visit(self.epochs + 1)
        return self.verdict

    def _note(self, values: Mapping[str, float | Tensor]) -> None:
        numbers = {name: float(value) for name, value in values.items()}
        metric = self._metric_among(numbers)
        self._told_last = numbers, metric
        if not metric:
            self._best = math.nan  # not known: no comparison with other trials
            return
        worth = -numbers[metric] if self._orders.direction == "maximize" else numbers[metric]
        self._best = min(self._best, worth) if math.isfinite(worth) else self._best

    def _metric_among(self, numbers: Mapping[str, float]) -> str:
        """The name of what counts; empty if it is not given and none of the usual is there."""
        metric = self._orders.metric
        if metric and metric not in numbers:
            raise ValueError(f"`metric` is {metric!r} but `epoch` was given {', '.join(numbers)}.")
        usual = _USUAL[self._orders.direction]
        return metric or next((name for name in usual if name in numbers), "")

    def _hear(self, case: Case) -> None:
        """Something was found between two epochs; only what is fatal cannot wait for the end."""
        self._urgent = self._urgent or case.finding.slug in self._judge.policy.fatal

    def _after_step(self, *_: Any) -> None:
        if self._urgent:
            self._urgent = False
            self._visit(self.epochs, between=True)
            if self.verdict.ends:
                raise self._broken(self.verdict)

    def _visit(self, epoch: int, *, between: bool = False) -> None:
        if not isinstance(self.monitor, Unwatched):  # PARAMEDIC=off: every trial goes on
            self._see(epoch, between)

    @property
    def guard(self) -> Guard:
        """Errors in judging end the judging, not the trial."""
        return self.monitor.guard

    @aside("judge")
    def _see(self, epoch: int, between: bool) -> None:
        findings = self.monitor.current(self._since).findings
        value = math.nan if self._best == math.inf else self._best
        step = self.monitor.last_step
        losses = losses_of(*self._told_last, partial(self.monitor.mean_loss, self._since))
        self.visits.append(Visit(epoch, step, findings, value, between, losses))
        self._since = self._since if between else step
        before, self.verdict = self.verdict, self._judge.verdict(self.visits, self._peers)
        if self.verdict.shadow and self.verdict.decision is not Decision.CONTINUE:
            self.shadowed = self.shadowed or self.verdict
        if _essence(before) != _essence(self.verdict):
            self._told(self.shadowed or self.verdict)
        self.monitor.charge()

    # -- what can be asked -----------------------------------------------------------------------

    @property
    def epochs(self) -> int:
        """How many epochs have ended."""
        return sum(not visit.between for visit in self.visits)

    @property
    def losses(self) -> dict[str, list[float]]:
        """Each of `LOSSES` by epoch; NaN where it is not known."""
        told = [visit.losses for visit in self.visits if not visit.between]
        return {name: [one[place] for one in told] for place, name in enumerate(LOSSES)}

    @property
    def seconds(self) -> float:
        """How long the trial has taken, up to its end."""
        end = time.perf_counter() if math.isnan(self._ended) else self._ended
        return end - self._began

    @property
    def final(self) -> Verdict:
        """The verdict that counts: in a shadow, the first that would have ended the trial."""
        return self.shadowed or self.verdict

    @property
    def finished(self) -> bool:
        """Whether the trial gains nothing any more: leave the loop and return its best value."""
        return self.verdict.ends and self.verdict.decision is Decision.FINISHED

    @property
    def should_stop(self) -> bool:
        """Whether the trial is to end now, for whatever reason."""
        return self.verdict.ends

    @property
    def findings(self) -> tuple[Finding, ...]:
        """Everything that was found, the root first."""
        return self.monitor.findings

    def step(self, loss: float | Tensor) -> None:
        """Give the loss of a step where it is not found."""
        self.monitor.step(loss)

    def close(self) -> None:
        """Stop watching. Closing twice does nothing."""
        if math.isnan(self._ended):
            self._ended = time.perf_counter()
            for hook in self._hooks:
                hook.remove()
            self.monitor.close()


def _essence(verdict: Verdict) -> tuple[object, ...]:
    return verdict.decision, verdict.cause, verdict.symptoms, verdict.spared
