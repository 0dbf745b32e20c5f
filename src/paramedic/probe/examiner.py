"""What is done at a look: gradients, weights, activations and the batch become one frame."""

from __future__ import annotations

import math
import platform
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.optim import Optimizer

from paramedic.probe import ranks
from paramedic.probe.activations import activation_columns
from paramedic.probe.batch import Batch, batch_scalars, find_batch, loss_name, sides_of
from paramedic.probe.call import Call
from paramedic.probe.comparison import compare_difference, kind_of
from paramedic.probe.compiler import is_compiled
from paramedic.probe.cycle import Cycle
from paramedic.probe.first_layer import first_constant
from paramedic.probe.fit import Fit, term_of
from paramedic.probe.guard import Guard
from paramedic.probe.labels import Labels
from paramedic.probe.layers import Layers
from paramedic.probe.meter import Columns, Meter, unscale
from paramedic.probe.modes import Modes
from paramedic.probe.options import Options
from paramedic.probe.schedule import FULL, Schedule
from paramedic.probe.straightness import is_straight
from paramedic.probe.surrogate import candidates_of, surrogate_of
from paramedic.probe.task import infer_task
from paramedic.probe.tree import parts
from paramedic.types import Chart, Event, Frame, Task
from paramedic.version import __version__

_EARLY, _REFRESH = (
    4,
    16,
)  # full looks after which modules are looked for again: the first, then each 16th

_BY_USER = "set by the user"
_RECOGNISED = 20  # full looks by which a surrogate loss is known
_FINITENESS = {"weight_finite": "weight_nonfinite", "act_finite": "act_nonfinite"}


class Examiner:
    """Measures a model for the monitor; each part is isolated from the failure of the others."""

    def __init__(
        self,
        models: Mapping[str, nn.Module],
        optimizers: Sequence[Optimizer],
        options: Options,
        guard: Guard,
    ) -> None:
        self.layers = Layers(models, optimizers)
        self.meter = Meter(self.layers)
        self.modes = Modes(self.layers)
        self.labels = Labels()
        self._fit = Fit()
        self._optimizers = tuple(optimizers)
        self._guard = guard
        self._loss_fn = options.loss_fn
        self.modules = {id(part.module) for model in models.values() for part in parts(model)}
        self.modules.add(id(options.loss_fn))
        self.copied = {*self.layers.roots, id(options.loss_fn)}  # modules that take the batch
        self._batch: Batch | None = None  # not read yet
        self._forward: tuple[dict[str, float], Columns] = ({}, {})  # read, and not used yet
        self._ordered = self._framed = False
        self._full_looks = 0
        self._unrecognised = _RECOGNISED
        self._candidates = 0  # of a contrastive loss
        self.chart = self._first_chart(models, options)

    def _first_chart(self, models: Mapping[str, nn.Module], options: Options) -> Chart:
        parameters = self.layers.parameters
        return Chart(
            layers=self.layers.describe(),
            loss=None if options.loss_fn is None else loss_name(options.loss_fn),
            optimizers=tuple(_describe(optimizer) for optimizer in self._optimizers),
            task=Task(options.task or Task.UNKNOWN),
            task_source=_BY_USER if options.task else "not inferred",
            accumulate=options.accumulate or 1,
            device=str(parameters[0].device) if parameters else "cpu",
            compiled=any(is_compiled(model) for model in models.values()),
            world_size=ranks.world_size(),
            versions=_versions(),
        )

    def forward_seen(self, calls: Sequence[Call], roots: Sequence[Tensor]) -> None:
        """Before the backward pass, while the graph of the loss still tells what it compares.

        If our modules were called, everything is read now, so that no activation is held while
        the backward pass needs the memory. Else (compiled code) the batch has to wait until it
        is known whether the backward pass is ours.
        """
        batch = self._guard.attempt(
            "batch", find_batch, calls, roots, self.layers.roots, self._loss_fn
        )
        self._guard.attempt("batch", self._recognise, roots)
        if not calls:
            self._batch = batch
            return
        self._guard.attempt("layers", self._order, calls)
        scalars = self._guard.attempt("batch", self._read_batch, batch)
        index, rows = self.layers.index, len(self.layers.rows)
        columns = self._guard.attempt("activations", activation_columns, calls, index, rows)
        first = self._guard.attempt("activations", first_constant, calls)
        self._batch, self._forward = None, ({**(scalars or {}), **(first or {})}, columns or {})

    def fit(self, roots: Sequence[Tensor]) -> dict[str, float]:
        """How well a part of the loss fits its targets, also at looks at little else: the end of a
        run is judged by it."""
        return self._fit.scalars(term_of(roots)) if self._fit.is_known else {}

    def _recognise(self, roots: Sequence[Tensor]) -> None:
        """Whether the loss is a surrogate shows at the first looks: its factors may have one sign
        in one batch and another in the next."""
        if self._unrecognised and not self.chart.surrogate:
            self._unrecognised -= 1
            self._candidates = candidates_of(roots)
            found = surrogate_of(roots)
            if found:
                self.chart = replace(self.chart, surrogate=found)

    def _order(self, calls: Sequence[Call]) -> None:
        """The order of execution is fixed by the first forward pass, before the first frame."""
        if self.layers.waits_for_shapes:
            self._refresh()
        if not self._ordered and calls:
            self.layers.executed(call.key for call in calls)
            if not self._framed:  # else the rows keep the places that frames refer to
                self.layers.sort()
            self._ordered = True
            self._layers_changed()

    def _refresh(self) -> None:
        if self.layers.refresh():
            self.modules.update(
                id(part.module) for model in self.layers.models.values() for part in parts(model)
            )
            self._layers_changed()

    def _layers_changed(self) -> None:
        self.meter.reset()
        self.modes.refresh()
        self.chart = replace(self.chart, layers=self.layers.describe())

    def _read_batch(self, batch: Batch | None) -> dict[str, float]:
        if batch is None:
            return {}
        unseen = self.chart.input_kind is None and bool(batch.inputs)
        if self.chart.task_source == "not inferred" or (unseen and self._by_us):
            self._infer(batch)  # again if a first forward pass ran before we were there
        return {**batch_scalars(batch, self.labels), **self._fit.scalars(batch.term)}

    @property
    def _by_us(self) -> bool:
        """Whether the task is ours to tell."""
        return self.chart.task_source != _BY_USER

    def _infer(self, batch: Batch) -> None:
        task, source = infer_task(batch)
        chart = replace(self.chart, loss=batch.loss or self.chart.loss, batch_size=batch.size)
        chart = replace(chart, loss_mean=batch.is_mean)
        chart = replace(chart, input_kind=kind_of(batch.inputs[0] if batch.inputs else None))
        if chart.straight is None:
            chart = replace(chart, straight=is_straight(batch.output_node))
        if batch.difference is not None:
            sides = compare_difference(batch.node, batch.difference, batch.error)
            chart = replace(chart, **sides._asdict(), target_kind=kind_of(batch.target))
        elif batch.target is not None:
            sides = sides_of(batch)
            chart = replace(chart, **sides._asdict(), target_kind=kind_of(batch.target))
        if task is not Task.UNKNOWN:
            chart = replace(chart, task=task, task_source=source)
        if chart != self.chart:
            self.chart = chart

    def accumulates(self, backwards: int) -> None:
        """The last step was made of so many backward passes. A shorter group is no news."""
        if backwards > self.chart.accumulate:
            self.chart = replace(self.chart, accumulate=backwards)

    def backward_seen(self, cycle: Cycle, *, vigilant: bool = False) -> None:
        """After the backward pass: the gradients are what the loss gave. `vigilant`: what is read
        is held against the steps before."""
        assert cycle.level is not None
        if cycle.level == FULL:
            self._take_forward(cycle)
        cycle.gradients = self._guard.attempt(
            "gradients", self.meter.gradients, cycle.level, vigilant=vigilant
        )
        if cycle.level == FULL:
            cycle.columns.update(self._guard.attempt("weights", self.meter.weights) or {})

    def _take_forward(self, cycle: Cycle) -> None:
        """The forward pass that was seen last belongs to this cycle."""
        batch, self._batch = self._batch, None
        (scalars, columns), self._forward = self._forward, ({}, {})
        cycle.scalars.update(self._guard.attempt("batch", self._read_batch, batch) or {})
        cycle.scalars.update(scalars)
        # A layer may have appeared since: its rows are known from the next look on.
        if all(len(column) == len(self.layers.rows) for column in columns.values()):
            cycle.columns.update(columns)

    def let_go(self) -> None:
        """The backward pass is over: a batch that was not read by now was somebody else's."""
        self._batch = None

    def release(self) -> None:
        """Nothing is measured any more: the model is the user's to let go of."""
        self.layers.release()
        self.meter.reset()
        self.modes.refresh()
        self._optimizers, self._loss_fn = (), None

    def glance(self, schedule: Schedule, cycle: Cycle, step: int) -> bool:
        """Whether the gradient has jumped. What that costs tells how often it can be asked."""
        if schedule.overhead is None and cycle.gradients is not None:  # it was read just now
            if cycle.gradients.jumped is not None:
                return cycle.gradients.jumped
            norms = cycle.gradients.columns.get("grad_norm")
            return norms is not None and self.meter.vigil.glance_at(norms)
        if cycle.level is None and step % schedule.stride:
            return False
        vigil, begin = self.meter.vigil, time.perf_counter()
        jumped = vigil.follow() if step < schedule.quiet_until else vigil.glance()
        schedule.glanced(time.perf_counter() - begin)
        return jumped

    def jump(self, step: int) -> Event:
        """The jump that the last glance saw."""
        return self.meter.vigil.event(step, [row.name for row in self.layers.rows])

    def after_step(self, cycle: Cycle) -> None:
        """The weights have moved."""
        if cycle.level == FULL:
            cycle.columns.update(self._guard.attempt("updates", self.meter.updates) or {})

    def at_rest(self, cycle: Cycle) -> None:
        """Between two steps. Within one, sharded weights are swapped for whole ones."""
        if cycle.level != FULL:
            return
        self._full_looks += 1
        if self._full_looks < _EARLY or self._full_looks % _REFRESH == 0:
            self._guard.attempt("layers", self._refresh)

    def frame(self, step: int, cycle: Cycle, overhead: float) -> Frame:
        """Everything that was seen in this cycle."""
        assert cycle.level is not None
        self._framed = True
        columns = dict(cycle.columns)
        if cycle.gradients is not None:
            columns.update(unscale(cycle.gradients.columns, cycle.scale))
        self._mask_idle(cycle, columns)
        scalars = self._scalars(cycle)
        scalars.update(cycle.scalars)
        scalars["overhead"] = overhead
        return Frame(step, cycle.level, scalars, columns)

    def _mask_idle(self, cycle: Cycle, columns: dict[str, Any]) -> None:
        """A gradient that no optimizer used in this step (the other half of a GAN) is no signal."""
        if len(self._optimizers) < 2 or not cycle.stepped:
            return
        idle = {
            id(parameter)
            for optimizer in self._optimizers
            if id(optimizer) not in cycle.stepped
            for group in optimizer.param_groups
            for parameter in group["params"]
        }
        rows = [
            place
            for place, row in enumerate(self.layers.rows)
            if row.parameters and all(id(parameter) in idle for parameter in row.parameters)
        ]
        for name in columns:
            if name.startswith("grad_"):
                columns[name][rows] = np.nan

    def _scalars(self, cycle: Cycle) -> dict[str, float]:
        loss = cycle.loss.item() if isinstance(cycle.loss, Tensor) else cycle.loss
        found = {
            "loss": math.nan if loss is None else loss,
            "loss_finite": math.nan if loss is None else float(math.isfinite(loss)),
            "skipped": float(cycle.skipped),
            "scale": cycle.scale,
            "backwards": float(cycle.backwards),
            "grad_raw": float(cycle.gradients_raw),
        }
        if cycle.gradients is not None:
            found["grad_norm"] = cycle.gradients.total / cycle.scale
            found["grad_finite"] = float(cycle.gradients.finite)
        if cycle.level == FULL:
            if self._candidates:
                found["candidates"] = float(self._candidates)
            for name, column in _FINITENESS.items():
                if column in cycle.columns:
                    found[name] = float(not (cycle.columns[column] > 0).any())
        place = 0
        for optimizer in self._optimizers:
            for group in optimizer.param_groups:
                if "lr" in group:
                    found[_rate(place)] = float(group["lr"])
                    place += 1
        return found


@lru_cache(maxsize=256)
def _rate(place: int) -> str:
    """The name of a rate; the same string each time, whose hash is known."""
    return f"lr/{place}"


def _describe(optimizer: Optimizer) -> dict[str, Any]:
    """The settings of an optimizer that are plain values."""
    settings = {
        key: value
        for key, value in optimizer.defaults.items()
        if isinstance(value, int | float | str | bool | tuple) or value is None
    }
    return {"name": type(optimizer).__name__, "groups": len(optimizer.param_groups), **settings}


def _versions() -> dict[str, str]:
    return {
        "paramedic": __version__,
        "torch": str(torch.__version__),
        "numpy": np.__version__,
        "python": platform.python_version(),
    }
