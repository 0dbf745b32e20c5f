"""Backward passes without a step: the program never calls `step()` of the optimizer it has made."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import torch
from torch import Tensor

from paramedic.diagnose.conclusion import Conclusion
from paramedic.diagnose.verdict import Assessment
from paramedic.run.pairing import leaves
from paramedic.types import Verdict

_ENOUGH = 100  # backward passes: hardly anybody accumulates the gradients of so many
_WEIGHTS = 4  # small parameters that are compared with what they were
_SAMPLE = 1024  # values of each


class Standstill:
    """Counts the backward passes through the parameters of an optimizer before its first step.

    The optimizer of a model that is only evaluated, or attacked, rests for good reason: passes
    count from the first one in training mode on.
    """

    def __init__(self, parameters: Iterable[Tensor]) -> None:
        self._parameters = {id(one): one for one in parameters if one.requires_grad}
        self._watched: list[Tensor] = []
        self._before: list[Tensor] = []
        self._passes = 0
        self._is_ours = False

    def passed(self, roots: Sequence[Tensor], *, training: bool) -> None:
        """A backward pass from `roots` begins. The graph is walked at the 1st, 2nd, 4th … one."""
        if not self._passes and not training:
            return
        self._passes += 1
        if self._passes & (self._passes - 1):
            return
        self._is_ours = not leaves(roots).isdisjoint(self._parameters)
        if self._is_ours and not self._watched:
            small = sorted(self._parameters.values(), key=Tensor.numel)
            self._watched = [one for one in small if one.device.type != "meta"][:_WEIGHTS]
            self._before = [_sample(one).clone() for one in self._watched]

    def release(self) -> None:
        """The optimizer has stepped, or is over: keep nothing."""
        self._parameters, self._watched, self._before = {}, [], []

    def conclusion(self, optimizer: str) -> Conclusion | None:
        """What is to be said of it, if nothing has moved for long enough."""
        if self._passes < _ENOUGH or not self._is_ours or not self._watched:
            return None
        if not all(map(_same, self._watched, self._before)):
            return None
        reason = (
            f"nothing moves: `step()` of {optimizer} was never called, and after {self._passes:,} "
            "backward passes the weights are what they were"
        )
        numbers = {"backward passes": float(self._passes)}
        return Conclusion(Assessment(Verdict.NOT_LEARNING, reason, numbers))


def _sample(tensor: Tensor) -> Tensor:
    return tensor.detach().reshape(-1)[:_SAMPLE]


def _same(tensor: Tensor, before: Tensor) -> bool:
    now = _sample(tensor)
    return now.dtype == before.dtype and now.device == before.device and torch.equal(now, before)
