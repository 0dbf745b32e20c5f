"""The only place that writes to a living run: what each action does."""

from __future__ import annotations

import math
from collections.abc import Callable

from torch import Tensor
from torch.optim import Optimizer

from paramedic.probe.attendant import Patient
from paramedic.probe.cycle import Cycle
from paramedic.treat.buffers import Buffers
from paramedic.treat.gradients import Withheld, shrink
from paramedic.treat.lasting import Lasting
from paramedic.treat.leaps import Leaps
from paramedic.treat.orders import Order
from paramedic.treat.snapshot import Snapshots
from paramedic.types import Remedy

Doing = Callable[["Hands", Remedy, Order, Optimizer, Cycle], str | None]


class Hands:
    """Carries out remedies on models and optimizers."""

    def __init__(self, patient: Patient) -> None:
        self._models = tuple(patient.models.values())
        self.buffers = Buffers(self._models)
        self.buffers.keep()
        self.snapshots = Snapshots(patient.models, patient.optimizers)
        self.lasting = Lasting(patient.optimizers)
        self.leaps = Leaps(patient.models)
        self._withheld = Withheld()
        self._clip_now = math.inf

    def do(self, remedy: Remedy, order: Order, optimizer: Optimizer, cycle: Cycle) -> str | None:
        """Carry it out; the words why it could not be, if it could not."""
        return _DOING[remedy.action](self, remedy, order, optimizer, cycle)

    def is_good(self) -> None:
        """What the last forward pass left behind is sound."""
        self.buffers.keep()

    def clean_up(self, cycle: Cycle) -> None:
        """The step was thrown away; if its loss was not finite, so was what it left behind."""
        loss = float(cycle.loss) if isinstance(cycle.loss, Tensor) else cycle.loss
        if loss is not None and not math.isfinite(loss):
            self.buffers.restore()

    def apply(self, optimizer: Optimizer, cycle: Cycle, norm: float) -> None:
        """What is in force acts on the step that follows, whose gradient has this norm."""
        most = min(self._clip_now, self.lasting.max_norm)
        self._clip_now = math.inf
        if norm > most and math.isfinite(norm):
            shrink(optimizer, most / norm)
        self.lasting.lend(optimizer, cycle)

    def let_go(self) -> None:
        """The step is over."""
        self.lasting.give_back()
        self._withheld.give_back()

    def _skip(self, remedy: Remedy, order: Order, optimizer: Optimizer, cycle: Cycle) -> None:
        self._withheld.take(optimizer)
        self.buffers.restore()
        cycle.skipped = True

    def _clip(self, remedy: Remedy, order: Order, optimizer: Optimizer, cycle: Cycle) -> None:
        if "layers" in remedy.args:
            self.leaps.shrink(remedy.args["layers"])
            return
        most = float(remedy.args["max_norm"])
        if remedy.args.get("steps") == 1:
            self._clip_now = most
        else:
            self.lasting.clip(order.cause, most)

    def _scale(self, remedy: Remedy, order: Order, optimizer: Optimizer, cycle: Cycle) -> None:
        self.lasting.scale_rate(order.cause, float(remedy.args["factor"]))

    def _raise(
        self, remedy: Remedy, order: Order, optimizer: Optimizer, cycle: Cycle
    ) -> str | None:
        by, most = float(remedy.args.get("by", 0.1)), float(remedy.args.get("most", 0.5))
        raised = self.lasting.raise_dropout(order.cause, self._models, by, most)
        return None if raised else "not applied: the model has no dropout that could be raised"

    def _roll_back(
        self, remedy: Remedy, order: Order, optimizer: Optimizer, cycle: Cycle
    ) -> str | None:
        snapshot = self.snapshots.before(order.began)
        if snapshot is None:
            return "not applied: there is no state from before"
        # The random streams go on: set back, they would draw the same batches again.
        snapshot.restore(random=False)
        self.snapshots.forget_after(snapshot.step)
        self._withheld.take(optimizer)
        self.buffers.keep()
        cycle.skipped = True
        return None

    def _stop(self, remedy: Remedy, order: Order, optimizer: Optimizer, cycle: Cycle) -> None:
        """Nothing: the loop is asked to end by `should_stop`."""


_DOING: dict[str, Doing] = {
    "skip-step": Hands._skip,
    "clip-gradients": Hands._clip,
    "scale-rate": Hands._scale,
    "raise-dropout": Hands._raise,
    "roll-back": Hands._roll_back,
    "stop": Hands._stop,
}
