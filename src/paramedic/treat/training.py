"""Trains a plan under watch, a stretch at a time: stops when told to, goes on from a checkpoint."""

from __future__ import annotations

import contextlib
import itertools
import math
import warnings
from collections import deque
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from paramedic.probe.attach import attach
from paramedic.probe.options import Options
from paramedic.treat import checkpoint
from paramedic.treat.batches import Batches, fed
from paramedic.treat.failures import Failure, failure
from paramedic.treat.plan import Plan
from paramedic.treat.resting import at_the_end, by_length, nothing_learned, weighed
from paramedic.types import Finding, Severity

_REMEMBERED = 4096  # losses that a monitor remembers
_FIRST, _RECENT = 5, 20  # losses that tell where a run began, and where it is
_HARM = 2.0  # times the noise of the metric that it must be below its best
_SERIOUS = (Severity.WARNING, Severity.CRITICAL)


@dataclass(frozen=True, slots=True)
class Point:
    """How good the model was at one step: a point of the curves."""

    step: int
    epoch: float
    train_loss: float
    val_loss: float
    metric: float

    def to_json(self) -> dict[str, float | None]:
        """Plain values; what is not finite is None."""
        return {name: _finite(value) for name, value in asdict(self).items()}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Point:
        """What `to_json` gave."""
        values = {name: math.nan if value is None else value for name, value in data.items()}
        step = int(values.pop("step"))
        return cls(step, **values)


@dataclass(frozen=True, slots=True)
class Best:
    """The weights at the end of the epoch with the best metric."""

    point: Point
    weights: Mapping[str, Tensor]


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None


class Training:
    """One training of a plan, under watch.

    `advance` trains to a step and stops there, or sooner if something serious is found; `points`
    are the curves, one point per epoch and one wherever `judge` was called. The random numbers of
    the process are left as they were.
    """

    def __init__(
        self, plan: Plan, *, trace: Path | None = None, state: Mapping[str, Any] | None = None
    ) -> None:
        self.plan = plan
        self.model = plan.build_model()
        self.optimizer = plan.build_optimizer(self.model)
        self.scheduler = plan.build_scheduler(self.optimizer)
        self.step = 0
        self.points: list[Point] = []
        self.failure: Failure | None = None
        self.best: Best | None = None
        self._seen: deque[float] = deque(maxlen=_REMEMBERED)  # the loss of each step
        self._epochs: list[dict[str, float]] = []  # what was handed in at the end of each
        self._late: tuple[Finding, ...] = ()  # what only the end of the run has shown
        self._losses: list[float] = []  # of this epoch
        self._first: list[float] = []
        self._recent: deque[float] = deque(maxlen=_RECENT)
        self._random = torch.Generator().manual_seed(plan.seed).get_state()
        if state is not None:
            self._restore(state)
        self._steps = plan.steps
        self.monitor = attach(self.model, self.optimizer, self._options(trace))
        self.monitor.remember(self._seen, self._epochs)

    def _options(self, trace: Path | None) -> Options:
        """No clock has a say: what is found must not depend on the machine."""
        return Options(
            loss_fn=self.plan.loss if isinstance(self.plan.loss, nn.Module) else None,
            trace=trace,
            overhead=None,
            slow=None,
            thresholds=by_length(self._steps),
        )

    # -- training --------------------------------------------------------------------------------

    @property
    def ended(self) -> bool:
        """Whether the plan is done, or can go no further."""
        return self.step >= self._steps or self.failure is not None

    def advance(
        self,
        until: int,
        *,
        stops: Callable[[Training], bool] | None = None,
        on_step: Callable[[Training], None] | None = None,
    ) -> None:
        """Train until this step, or until `stops` says so after a step."""
        until = min(until, self._steps)
        with self._own_random_numbers():
            while self.step < until and self.failure is None:
                if self._rest_of_epoch(until, stops, on_step):
                    return

    def _rest_of_epoch(self, until: int, stops: Any, on_step: Any) -> bool:
        """Whether it was told to stop."""
        train: Batches = self.plan.batches[0]
        epoch, done = divmod(self.step, len(train))
        for inputs, targets in itertools.islice(train.epoch(epoch), done, None):
            try:
                self._one_step(inputs, targets)
            except Exception as error:  # noqa: BLE001 - the user's model and loss may raise anything
                self.failure = failure(error, self.plan, inputs, targets)
                return True
            if self.step % len(train) == 0:
                self._end_epoch()
            if on_step is not None:
                on_step(self)
            if stops is not None and stops(self):
                return True
            if self.step >= until:
                return False
        return False

    def _one_step(self, inputs: Any, targets: Tensor) -> None:
        plan = self.plan
        self.model.train()
        self.optimizer.zero_grad(set_to_none=True)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # what torch warns of, a detector says better
            loss = plan.loss(fed(self.model, inputs), targets)
            loss.backward()  # type: ignore[no-untyped-call]
        if plan.clip_value is not None:
            nn.utils.clip_grad_value_(self.model.parameters(), plan.clip_value)
        if plan.clip_norm is not None:
            nn.utils.clip_grad_norm_(self.model.parameters(), plan.clip_norm)
        with _scaled_rate(self.optimizer, self._warm()):
            self.optimizer.step()
        self._note(float(loss.detach()))
        self.step += 1

    def _note(self, loss: float) -> None:
        self._losses.append(loss)
        self._seen.append(loss)
        self._recent.append(loss)
        if len(self._first) < _FIRST:
            self._first.append(loss)

    def _warm(self) -> float:
        return min((self.step + 1) / self.plan.warmup, 1.0) if self.plan.warmup else 1.0

    def _end_epoch(self) -> None:
        self._step_scheduler()
        point = self.judge()
        self._keep_best(point)
        self._losses = []
        known = {"train_loss": point.train_loss, "val_loss": point.val_loss}
        if self.plan.measure.name == "accuracy":
            known["val_acc"] = point.metric
        self._epochs.append({name: value for name, value in known.items() if value == value})
        self.monitor.epoch(**self._epochs[-1])

    def _keep_best(self, point: Point) -> None:
        if self.best is None or self.plan.measure.better(point.metric, self.best.point.metric):
            weights = {name: value.clone() for name, value in self.model.state_dict().items()}
            self.best = Best(point, weights)

    def _step_scheduler(self) -> None:
        if self.scheduler is None:
            return
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # that no step was taken before, after a resume
            if isinstance(self.scheduler, torch.optim.lr_scheduler.ReduceLROnPlateau):
                self.scheduler.step(_mean(self._losses))
            else:
                self.scheduler.step()

    # -- judging ---------------------------------------------------------------------------------

    def judge(self) -> Point:
        """Measure the model now, on the validation data; the same step is measured once."""
        if self.points and self.points[-1].step == self.step:
            return self.points[-1]
        loss, metric = evaluate(self.model, self.plan, self.plan.batches[1])
        epoch = self.step / max(self.plan.steps_per_epoch, 1)
        self.points.append(Point(self.step, epoch, _mean(self._recent), loss, metric))
        return self.points[-1]

    @property
    def loss(self) -> float:
        """The mean of the last losses."""
        return _mean(self._recent)

    @property
    def progress(self) -> float:
        """The share of the first loss that is gone; NaN if it cannot be told."""
        first, now = _mean(self._first), _mean(self._recent)
        return (first - now) / max(abs(first), 1e-12)

    @property
    def finding(self) -> Finding | None:
        """The root of what is seriously wrong now."""
        if self.failure is not None:
            return self.failure.finding
        return next(iter(self.findings), None)

    @property
    def findings(self) -> tuple[Finding, ...]:
        """Everything serious that is wrong now, the root first."""
        if self.failure is not None:
            return (self.failure.finding,)
        metric = self.points[-1].metric if self.points else math.nan
        found = (*self.monitor.current().findings, *self._late)
        told = (weighed(one, self.plan, metric) for one in found)
        return tuple(one for one in told if one.severity in _SERIOUS and self._harms(one))

    def _harms(self, finding: Finding) -> bool:
        """Learning by heart is harmless as long as the metric does not suffer from it."""
        if finding.slug != "overfitting":
            return True
        if self.best is None:
            return False
        measure = self.plan.measure
        noise = measure.noise(self.plan.batches[1].samples)
        return measure.gain(self.points[-1].metric, self.best.point.metric) > _HARM * noise

    def close(self) -> None:
        """Stop watching; what is found at the end of a run is found now."""
        if self.step >= self._steps and not self._late:
            known = {finding.slug for finding in self.monitor.current().findings}
            late = at_the_end(self.monitor.window())
            self._late = tuple(one for one in late if one.slug not in known)
            if not self.findings:
                told = nothing_learned(self.plan, self.step, self.judge().metric, self.progress)
                self._late += () if told is None else (told,)
        self.monitor.close()

    # -- state -----------------------------------------------------------------------------------

    def state(self) -> dict[str, Any]:
        """All that is needed to go on from here."""
        scheduler = {} if self.scheduler is None else _plain(self.scheduler.state_dict())
        return {
            "model": self.model.state_dict(),
            "optimizer": self.optimizer.state_dict(),
            "scheduler": scheduler,
            "step": self.step,
            "random": self._random,
            "losses": self._losses,
            "best": None if self.best is None else _best_state(self.best),
            "seen": torch.tensor(list(self._seen), dtype=torch.float64),
            "epochs": self._epochs,
            "first": self._first,
            "recent": list(self._recent),
            "points": [point.to_json() for point in self.points],
        }

    def save(self, path: Path) -> None:
        """The state as a checkpoint."""
        checkpoint.save(path, self.state())

    def _restore(self, state: Mapping[str, Any]) -> None:
        self.model.load_state_dict(state["model"])
        self.optimizer.load_state_dict(state["optimizer"])
        if self.scheduler is not None:
            self.scheduler.load_state_dict(state["scheduler"])
        self.step = state["step"]
        self._random = state["random"]
        self._losses = list(state["losses"])
        if state["best"] is not None:
            self.best = Best(Point.from_json(state["best"]["point"]), state["best"]["weights"])
        self._seen.extend(state["seen"].tolist())
        self._epochs = list(state["epochs"])
        self._first = list(state["first"])
        self._recent.extend(state["recent"])
        self.points = [Point.from_json(point) for point in state["points"]]

    @contextlib.contextmanager
    def _own_random_numbers(self) -> Iterator[None]:
        """What the model draws (dropout) comes from the plan's seed, and goes on after a break."""
        with torch.random.fork_rng(devices=[]):
            torch.set_rng_state(self._random)
            try:
                yield
            finally:
                self._random = torch.get_rng_state()


def evaluate(model: nn.Module, plan: Plan, batches: Batches) -> tuple[float, float]:
    """Loss and metric of a model over all batches, each batch by its size; NaN where they cannot
    be computed."""
    losses, metrics, counts = [], [], []
    was_training = model.training
    model.eval()
    with torch.no_grad(), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for inputs, targets in batches.epoch(0):
            output = fed(model, inputs)
            losses.append(_number(plan.loss, output, targets))
            metrics.append(_number(plan.measure, output, targets))
            counts.append(len(targets))
    model.train(was_training)
    return _weighted(losses, counts), _weighted(metrics, counts)


def _number(function: Callable[..., Any], output: Any, targets: Tensor) -> float:
    """What the user's function makes of it; NaN if it cannot."""
    try:
        return float(function(output, targets))
    except (RuntimeError, ValueError, TypeError, IndexError):
        return math.nan


def _weighted(values: list[float], counts: list[int]) -> float:
    total = sum(counts)
    pairs = zip(values, counts, strict=True)
    return sum(value * count for value, count in pairs) / total if total else math.nan


def _mean(values: Collection[float]) -> float:
    return sum(values) / len(values) if values else math.nan


@contextlib.contextmanager
def _scaled_rate(optimizer: torch.optim.Optimizer, factor: float) -> Iterator[None]:
    """A part of the rate for one step."""
    if factor >= 1.0:
        yield
        return
    rates = [group["lr"] for group in optimizer.param_groups]
    for group, rate in zip(optimizer.param_groups, rates, strict=True):
        group["lr"] = rate * factor
    try:
        yield
    finally:
        for group, rate in zip(optimizer.param_groups, rates, strict=True):
            group["lr"] = rate


def _best_state(best: Best) -> dict[str, Any]:
    return {"point": best.point.to_json(), "weights": best.weights}


def _plain(state: Mapping[str, Any]) -> dict[str, Any]:
    """The state of a scheduler without the functions that the plan gives anew."""
    kept = (bool, int, float, str, list, tuple, dict, type(None))
    return {name: value for name, value in state.items() if isinstance(value, kept)}
