"""Ray Tune: the same verdicts on a cluster.

```python
def train(config):
    model, optimizer = ...
    with paramedic.hpo.raytune.watch(model, optimizer, metric="val_loss", mode="min") as monitor:
        for epoch in range(20):
            ...
            monitor.report(train_loss=..., val_loss=loss)     # instead of tune.report

tune.Tuner(
    train,
    tune_config=tune.TuneConfig(metric="val_loss", mode="min", num_samples=100),
    run_config=tune.RunConfig(stop=DiagnosisStopper()),
)
```
The verdict is computed in the worker and reported with the numbers; the stopper only reads it. A
trial that is ended by a stopper is complete for Ray, with its last metric, so a sick one reports a
bad value last. Workers do not see each other: trials are judged by what is found in them, not
compared; a scheduler such as ASHA compares.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from torch import Tensor
from torch.optim import Optimizer

from paramedic.hpo.bedside import OVERHEAD, Bedside, Orders
from paramedic.hpo.policy import Policy, Rules
from paramedic.hpo.standing import nobody
from paramedic.hpo.verdict import Decision, Verdict
from paramedic.optional import require
from paramedic.probe.attach import Models
from paramedic.probe.options import one_of

require("ray.tune", extra="ray", needed_by="paramedic.hpo.raytune")

from ray import tune  # noqa: E402
from ray.tune import Stopper  # noqa: E402

ENDS, VERDICT, WHY = "paramedic/ends", "paramedic/verdict", "paramedic/why"
_DIRECTIONS = {"min": "minimize", "max": "maximize"}


class SickTrial(Exception):
    """Ends a trial between two epochs; it does not leave `watch`."""


class DiagnosisStopper(Stopper):
    """Ends the trials whose last report says so, and remembers why.

    `verdicts` has one entry per trial that was ended: `stop: non-finite`, `finished: …`.
    """

    def __init__(self) -> None:
        self.verdicts: dict[str, str] = {}

    def __call__(self, trial_id: str, result: Mapping[str, Any]) -> bool:
        if not result.get(ENDS):
            return False
        self.verdicts[trial_id] = str(result.get(VERDICT, ""))
        return True

    def stop_all(self) -> bool:
        return False


def watch(  # noqa: PLR0913 - these are the settings a user knows, each with a default
    model: Models,
    optimizer: Optimizer | Sequence[Optimizer],
    *,
    metric: str,
    mode: str,
    rules: Rules = "default",
    policy: Policy | None = None,
    warm_up: int | None = None,
    epochs: int | None = None,
    penalty: float | None = None,
    shadow: bool = False,
    trace: str | Path | None = None,
    overhead: float | None = OVERHEAD,
    thresholds: Mapping[str, Mapping[str, Any]] | None = None,
) -> RayMonitor:
    """Watch a trial inside a training function; report its epochs by `monitor.report(...)`.

    Args:
        model: what is trained.
        optimizer: the optimizer, or a list of them.
        metric: which of the reported values counts, as in `tune.TuneConfig`.
        mode: `min` or `max`, as there.
        penalty: the value that a sick trial reports last; by default one that is far worse than
            its own worst. Give one that is bad but not extreme if a search algorithm models it.

    The other settings are those of `paramedic.hpo.optuna.watch`.
    """
    one_of("mode", mode, tuple(_DIRECTIONS))
    orders = Orders(
        rules, policy, warm_up, epochs, metric, _DIRECTIONS[mode], shadow, True, trace, overhead,
        thresholds or {},
    )  # fmt: skip
    return RayMonitor(model, optimizer, orders, metric, penalty)


class RayMonitor(Bedside):
    """Watches one trial and reports it; a context manager."""

    def __init__(
        self,
        model: Models,
        optimizer: Optimizer | Sequence[Optimizer],
        orders: Orders,
        metric: str,
        penalty: float | None,
    ) -> None:
        self._metric, self._penalty = metric, penalty
        self._maximizes = orders.direction == "maximize"
        self._values: list[float] = []
        super().__init__(
            model, optimizer, orders, peers=nobody, told=lambda _: None, broken=_broken
        )

    def report(self, **values: float | Tensor) -> Verdict:
        """The numbers of an epoch, to the monitor and to Ray; gives the verdict."""
        verdict = self.epoch(**values)
        numbers = {name: float(value) for name, value in values.items()}
        self._values.append(numbers[self._metric])
        self._send(numbers, verdict)
        return verdict

    def _send(self, numbers: Mapping[str, float], verdict: Verdict) -> None:
        told: dict[str, Any] = {**numbers, ENDS: verdict.ends, VERDICT: str(verdict)}
        if verdict.cause:
            told[WHY] = verdict.why
        if verdict.ends:
            told[self._metric] = self.penalty if verdict.stops else self._reached()
        tune.report(told)

    @property
    def penalty(self) -> float:
        """The value of this trial if it is sick."""
        if self._penalty is not None:
            return self._penalty
        sign = -1.0 if self._maximizes else 1.0
        worst = max([sign * one for one in self._values if math.isfinite(one)], default=0.0)
        return sign * (worst + 10 * max(1.0, abs(worst)))

    def _reached(self) -> float:
        finite = [one for one in self._values if math.isfinite(one)]
        best = max if self._maximizes else min
        return best(finite, default=math.nan)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> bool:
        self.close()
        if not isinstance(error, SickTrial):
            return False
        self._send({}, self.verdict)
        return True


def _broken(verdict: Verdict) -> Exception:
    return SickTrial(f"{Decision.STOP}: {verdict.cause}")
