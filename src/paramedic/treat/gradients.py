"""Writing to gradients: a step without them, or with smaller ones."""

from __future__ import annotations

import torch
from torch import Tensor
from torch.optim import Optimizer

from paramedic.treat.facts import gradients


class Withheld:
    """Gradients that are kept from a step.

    An optimizer leaves a parameter without a gradient alone: no update, no decay, no momentum.
    After the step the gradients are there again, as zeros: there is nothing left to add to.
    """

    def __init__(self) -> None:
        self._held: list[tuple[Tensor, Tensor]] = []

    def take(self, optimizer: Optimizer) -> None:
        """Take them away."""
        for group in optimizer.param_groups:
            for parameter in group["params"]:
                if parameter.grad is not None:
                    self._held.append((parameter, parameter.grad))
                    parameter.grad = None

    def give_back(self) -> None:
        """Put zeros in their place, unless somebody else has been there."""
        for parameter, grad in self._held:
            if parameter.grad is None:
                grad.detach().zero_()
                parameter.grad = grad
        self._held.clear()


@torch.no_grad()
def shrink(optimizer: Optimizer, factor: float) -> None:
    """Multiply all gradients that a step would apply."""
    for grad in gradients(optimizer):
        grad.mul_(factor)
