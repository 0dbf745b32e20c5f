"""Training a copy on one batch, at one learning rate, until it is clear where that leads."""

from __future__ import annotations

import math
import time

import torch
from torch import Tensor, nn

from paramedic.checkup.batch import Batch
from paramedic.checkup.check import Skip
from paramedic.checkup.patient import Patient

_ROUND = 40  # steps after which progress is looked at
_ROUNDS = 9


class Attempt:
    """One training of a fresh copy."""

    def __init__(self, patient: Patient, batch: Batch, rate: float) -> None:
        self.rate = rate
        self.losses: list[float] = []
        self.is_stuck = False  # the last round brought next to nothing
        self._patient, self._batch = patient, batch

    @property
    def lowest(self) -> float:
        return min((one for one in self.losses if math.isfinite(one)), default=math.inf)

    @property
    def steps(self) -> int:
        return max(0, len(self.losses) - 1)

    @property
    def is_broken(self) -> bool:
        """The loss is not finite any more."""
        return bool(self.losses) and not math.isfinite(self.losses[-1])

    @property
    def expected(self) -> float:
        """Where three more rounds like the last would lead; nowhere is excluded before two."""
        earlier, later = self.losses[:-_ROUND], self.losses[-_ROUND:]
        if len(earlier) < _ROUND:
            return -math.inf
        return self.lowest - 3 * max(0.0, min(earlier) - min(later))

    def run(self, goal: float, little: float, until: float) -> None:
        """Train until the goal is reached, a round brings less than `little`, or time is over."""
        model = without_dropout(self._patient.another())
        parameters = [one for _, one in self._patient.trainable(model)]
        if not parameters:
            raise Skip("the model has no trainable parameter")
        # The usual epsilon is zero in half precision.
        epsilon = 1e-4 if any(one.dtype is torch.float16 for one in parameters) else 1e-8
        optimizer = torch.optim.Adam(parameters, lr=self.rate, eps=epsilon)
        for _ in range(_ROUNDS):
            before = self.lowest
            if self._round(model, optimizer, goal, until):
                return
            if before - self.lowest < little:
                self.is_stuck = True
                return

    def _round(
        self, model: nn.Module, optimizer: torch.optim.Optimizer, goal: float, until: float
    ) -> bool:
        """Some steps; True if there is nothing more to do."""
        for _ in range(_ROUND):
            optimizer.zero_grad()
            loss = self._loss(model)
            self.losses.append(float(loss))
            if self.lowest <= goal or self.is_broken or time.monotonic() > until:
                return True
            loss.backward()  # type: ignore[no-untyped-call]
            optimizer.step()
        return False

    def _loss(self, model: nn.Module) -> Tensor:
        loss = self._patient.loss(self._batch, model=model, training=True)
        if not loss.requires_grad:
            raise Skip("the loss has no graph")
        return loss


def without_dropout(model: nn.Module) -> nn.Module:
    """The same model with all its dropout modules doing nothing."""
    for module in model.modules():
        if isinstance(module, nn.modules.dropout._DropoutNd):
            module.p = 0.0
        elif isinstance(module, nn.RNNBase | nn.MultiheadAttention):
            module.dropout = 0.0
    return model
