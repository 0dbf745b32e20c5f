"""What treatment knows of a step before it is taken."""

from __future__ import annotations

import math
from array import array
from dataclasses import dataclass

from torch import Tensor
from torch.optim import Optimizer

from paramedic.probe import native
from paramedic.probe.cycle import Cycle
from paramedic.probe.ranks import Shards
from paramedic.probe.statistics import TensorReader


@dataclass(frozen=True, slots=True)
class Facts:
    """One step of one optimizer.

    `loss` is NaN where it was not seen. `norm` is that of the gradient that would be applied now,
    whatever was done to it since the backward pass; NaN if there is none. `rate` is the highest
    of the optimizer's groups, with what a treatment does to it. `from_data` says that something
    is not finite because the batch was not.
    """

    step: int
    loss: float
    norm: float
    rate: float
    finite: bool = True
    from_data: bool = False


class Reader:
    """Reads the facts of one optimizer; at every step, so it only reads what the policy needs."""

    def __init__(self, optimizer: Optimizer) -> None:
        self._optimizer = optimizer
        self._reader: TensorReader | None = None
        self._rows = array("q")

    def facts(self, step: int, cycle: Cycle, factor: float = 1.0) -> Facts:
        """What there is to know of the step that is about to be taken, at `factor` the rate."""
        loss, norm = _loss(cycle), self.norm()
        finite = not math.isinf(norm) and (loss is None or math.isfinite(loss))
        rates = [float(group["lr"]) for group in self._optimizer.param_groups if "lr" in group]
        return Facts(
            step=step,
            loss=math.nan if loss is None else loss,
            norm=norm,
            rate=factor * max(rates, default=math.nan),
            finite=finite,
            from_data=cycle.origin is not None and cycle.origin.kind in ("input", "target"),
        )

    def norm(self) -> float:
        """The norm of all gradients there are; infinite if one is not finite, NaN without any."""
        grads = gradients(self._optimizer)
        if not grads:
            return math.nan
        if self._reader is None:
            self._reader = TensorReader(1, Shards(grads))
        if len(self._rows) != len(grads):
            self._rows = array("q", bytes(8 * len(grads)))
        _, total = self._reader.norms(grads, self._rows, native.vectors_of(grads))
        return total if math.isfinite(total) else math.inf


def gradients(optimizer: Optimizer) -> list[Tensor]:
    """The gradients that a step would apply."""
    return [
        parameter.grad
        for group in optimizer.param_groups
        for parameter in group["params"]
        if parameter.grad is not None
    ]


def _loss(cycle: Cycle) -> float | None:
    if cycle.given is not None:
        return cycle.given
    return None if cycle.loss is None else float(cycle.loss) / cycle.scale
