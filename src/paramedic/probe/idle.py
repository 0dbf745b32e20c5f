"""The steps between two looks: the loss is noted, and hardly anything else happens.

In a fast loop these steps are nearly all there are, and a call of Python costs a microsecond or
two between cold caches. So this is written flat, without helpers, and only for the plain case:
one optimizer, one loss on the host, no closure, no gradient scaler. Anything else wakes the loop.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import isfinite, nan
from time import perf_counter
from typing import Any

import torch
from torch import Tensor

from paramedic.probe import native
from paramedic.probe.guard import Guard
from paramedic.probe.unseen import has_modes

_WithoutFunctions: Any = torch._C.DisableTorchFunction
_FLOAT = torch.float32

Glances = tuple[Callable[[], bool], int, int]  # what to call, every how many steps, at which pass
Note = tuple[int, float | Tensor | None, bool, bool]  # step, loss, finite, skipped


class Idle:
    """Stands in for the loop until the step `due`, or until something happens.

    `sentinel` is a small gradient of an early layer. It tells whether a backward pass was ours
    and, since what goes wrong on the way back arrives there, whether the gradient is finite.
    """

    __slots__ = (
        "_began", "_finite", "_first", "_glance", "_grad", "_guard", "_last", "_mode", "_notes",
        "_stride", "_timed", "_value", "_version", "active", "backwards", "batches", "cost", "due",
        "given", "jumped", "loss", "sentinel", "step", "turned", "wake",
    )  # fmt: skip

    def __init__(
        self,
        guard: Guard,
        notes: list[Note],
        wake: Callable[[Sequence[Tensor] | None], None],
        mode: Callable[[int], bool],
    ) -> None:
        self._guard, self._notes, self.wake, self._mode = guard, notes, wake, mode
        self._finite: Any = None if native.kernel is None else native.kernel.finite
        self.active = self.jumped = self.turned = False
        self.cost = 0.0

    def start(self, step: int, due: int, sentinel: Tensor, glances: Glances) -> None:
        """Take over before `step`."""
        self.active, self.jumped, self.turned = True, False, False
        self._glance, self._stride, self._last = glances
        self.step = self._first = step
        self.due = due
        self.sentinel = sentinel
        self.loss: float | None = None
        self.given: float | None = None
        self.backwards = self.batches = 0
        self._grad: Tensor | None = None
        self._version, self._value = -1, nan
        self._timed = False
        self.cost = 0.0
        self._began = perf_counter()

    def stop(self) -> tuple[int, float, float]:
        """Hand back: the steps that passed, their seconds, and what they cost us.

        The cost is that of the last step, which alone was timed, for all of them.
        """
        self.active = False
        self._grad = None
        steps = self.step - self._first
        return steps, perf_counter() - self._began, self.cost * max(steps, 1)

    def release(self) -> None:
        """It will not start again: let go of whom it wakes."""
        self.wake, self._mode = _nobody, _unchanged
        self.sentinel, self._glance = torch.empty(0), _calm

    def before_backward(self, roots: Sequence[Tensor]) -> None:
        """Note the loss, and how the sentinel is."""
        begin = perf_counter() if self._timed else 0.0
        try:
            with _WithoutFunctions():
                try:
                    value = nan if len(roots) != 1 or has_modes() else roots[0].item()
                except RuntimeError:  # more than a number
                    value = nan
                grad = self._grad = self.sentinel.grad
            self._value = value
            if not isfinite(value):
                self.wake(roots)
                return
            self._version = -1 if grad is None else grad._version
        except Exception as error:  # noqa: BLE001 - the user's run must survive any of ours
            self._fail(error)
        if begin:
            self.cost += perf_counter() - begin

    def after_backward(self) -> None:
        """If the backward pass was ours, its loss counts."""
        begin = perf_counter() if self._timed else 0.0
        try:
            with _WithoutFunctions():
                grad, before = self.sentinel.grad, self._grad
                self._grad = None  # it is the user's to let go of
                if grad is None or (grad is before and grad._version == self._version):
                    return
                self.backwards += 1
                self.batches += 1
                self.loss = self._value if self.loss is None else self.loss + self._value
                # Asked anew each time: a model may be moved or made half as precise meanwhile.
                plain = type(grad) is Tensor and grad.dtype is _FLOAT and grad.is_cpu
                if self._finite is not None and plain and grad.is_contiguous():
                    finite = self._finite(grad.data_ptr(), grad.numel())
                else:
                    finite = isfinite(abs(grad.detach().sum().item()))
            if not finite:
                self.wake(None)
            elif self.backwards == self._last and self.step % self._stride == 0:
                if begin:  # glances are accounted for by themselves
                    self.cost += perf_counter() - begin
                    begin = 0.0
                with _WithoutFunctions():
                    self.jumped = self._glance()
                if self.jumped:
                    self.wake(None)
        except Exception as error:  # noqa: BLE001 - the user's run must survive any of ours
            self._fail(error)
        if begin:
            self.cost += perf_counter() - begin

    def end_step(self) -> bool:
        """The optimizer has stepped; True if the next step is one to look at, or if the mode of
        the model has changed (`turned`)."""
        begin = perf_counter() if self._timed else 0.0
        loss = self.loss if self.given is None else self.given
        self._notes.append((self.step, loss, loss is None or isfinite(loss), False))
        self.loss = self.given = None
        self.backwards = 0
        try:
            self.turned = self._mode(self.step)
        except Exception as error:  # noqa: BLE001 - the user's run must survive any of ours
            self._fail(error)
        self.step = step = self.step + 1
        self._timed = step + 1 == self.due
        if begin:
            self.cost += perf_counter() - begin
        return step >= self.due or self.turned

    def _fail(self, error: Exception) -> None:
        if self._guard.strict:
            raise error
        self._guard.disable("backward", error)
        self.wake(None)


def _nobody(roots: Sequence[Tensor] | None) -> None: ...


def _calm() -> bool:
    return False


def _unchanged(step: int) -> bool:
    return False
