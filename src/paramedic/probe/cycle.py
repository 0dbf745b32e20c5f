"""One turn of the training loop, from its first backward pass to its last optimizer step."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from torch import Tensor
from torch.amp.grad_scaler import GradScaler
from torch.optim import Optimizer

from paramedic.probe.meter import Columns, Gradients
from paramedic.probe.origin import Origin
from paramedic.probe.tensors import values
from paramedic.types import Event


@dataclass(slots=True)
class Cycle:
    """What is known so far of the step that is under way."""

    level: str | None
    loss: float | Tensor | None = None  # the sum of all roots; a tensor while on another device
    loss_finite: bool = True
    backwards: int = 0
    inside: int = 0  # backward passes that ran inside `optimizer.step(closure)`
    stepping: bool = False
    scaling: bool = False
    stepped: set[int] = field(default_factory=set)
    scale: float = 1.0
    scaler: GradScaler | None = None
    skipped: bool = False
    gradients: Gradients | None = None
    gradients_raw: bool = True
    columns: Columns = field(default_factory=dict)
    scalars: dict[str, float] = field(default_factory=dict)
    origin: Origin | None = None
    given: float | None = None  # the loss that the user handed in
    jump: Event | None = None  # of the gradient

    def add_loss(self, value: float | None, roots: Sequence[Tensor]) -> None:
        """Add what `backward` was called on: its value, or tensors that are not read yet."""
        if value is None:
            for root in roots:
                if root.numel() == 1 and not root.is_complex():  # else it is no loss
                    self._add(root.detach() if root.device.type != "cpu" else root.item())
        else:
            self._add(value)

    def _add(self, value: float | Tensor) -> None:
        self.loss = value if self.loss is None else self.loss + value

    def unscale_loss(self) -> None:
        """Undo the scale of a `GradScaler`, and what overflowed only because of it."""
        if self.loss is None:
            return
        self.loss = self.loss / self.scale
        if isinstance(self.loss, Tensor):
            return
        self.loss_finite = math.isfinite(self.loss)
        if self.scale <= 1:
            return
        kind = self.origin.kind if self.origin is not None else ""
        if math.isinf(self.loss):  # the scaled loss did not fit: the true one is not known
            self.loss, self.loss_finite = None, True
            self.origin = None if kind == "loss" else self.origin
        if self.skipped and kind == "gradient":  # the scaler is at work, and lowers the scale
            self.origin = None


def single_number(roots: Sequence[Tensor]) -> float | None:
    """The value of a loss that can be read without waiting for another device."""
    if len(roots) != 1 or roots[0].numel() != 1 or not roots[0].is_cpu:
        return None
    value = roots[0].item()
    return value if isinstance(value, float) else None


def carried(optimizers: Iterable[Optimizer]) -> bool:
    """Whether the optimizers' own gradients are still those of the step before."""
    held = [
        parameter
        for optimizer in optimizers
        for group in optimizer.param_groups
        for parameter in group["params"]
        if parameter.grad is not None
    ]
    smallest = min(held, key=lambda parameter: parameter.numel(), default=None)
    return smallest is not None and bool(values(smallest.grad).flat.any())


class GradientMarks:
    """Tells whether a backward pass changed the gradients of certain parameters."""

    __slots__ = ("_before", "_parameters")

    def __init__(self) -> None:
        self.watch(())

    def watch(self, parameters: Sequence[Tensor]) -> None:
        """Remember how the gradients are now."""
        self._parameters = parameters
        self._before = [
            None if (grad := parameter.grad) is None else (id(grad), grad._version)
            for parameter in parameters
        ]

    def touched(self) -> list[Tensor]:
        """The parameters whose gradient is new or was written to since."""
        return [
            parameter
            for parameter, before in zip(self._parameters, self._before, strict=True)
            if (grad := parameter.grad) is not None and (id(grad), grad._version) != before
        ]
