"""Catching what modules take in and give out, without leaving anything in the model.

The hook is a global one, since hooks that are stored in modules would be pickled and copied with
them. It only keeps references, and only until the backward pass begins, while autograd holds most
of these tensors anyway; statistics are computed then, in one go.
"""

from __future__ import annotations

import threading
from collections.abc import Container, Mapping
from functools import lru_cache
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn
from torch.nn.modules.module import (
    _global_forward_hooks_with_kwargs,
    register_module_forward_hook,
)
from torch.utils.hooks import RemovableHandle

from paramedic.probe.backward import backward_passes
from paramedic.probe.tensors import all_tensors, first_tensor

HOOK_SECONDS = 4e-6  # one call of a global forward hook, the slower path of `__call__` included


def remove_global_hook(handle: RemovableHandle) -> None:
    """Remove a global forward hook wholly: torch leaves its entry for keyword arguments behind."""
    handle.remove()
    _global_forward_hooks_with_kwargs.pop(handle.id, None)


class Call(NamedTuple):
    """One forward pass of one module."""

    module: nn.Module
    inputs: list[Tensor]
    output: Tensor | None
    version: int  # of the output: tells if it was written to later
    training: bool

    def intact(self) -> bool:
        """Whether nothing was written into the output since."""
        return self.output is None or self.output._version == self.version


class ForwardTap:
    """Collects the calls of watched modules while it is open.

    `modules` tells, by `id`, the modules to keep; torch's loss modules are kept as well.
    """

    def __init__(self, modules: Container[int]) -> None:
        self._modules = modules
        self._handle: RemovableHandle | None = None
        self._thread = 0
        self.is_open = False
        self.paused = False  # during a backward pass, which may run a forward pass again
        self.calls: list[Call] = []
        self.fired = 0

    def open(self) -> None:
        """Start to collect."""
        self.is_open = True
        self._thread = threading.get_ident()
        if self._handle is None:
            self._handle = register_module_forward_hook(self._on_forward, with_kwargs=True)
            _open.append(self)

    def close(self) -> None:
        """Stop, and let go of what was collected."""
        if self._handle is not None:
            remove_global_hook(self._handle)
            self._handle = None
            _open.remove(self)
        self.is_open = False
        self.calls = []

    def mute(self) -> None:
        """Collect no more, but leave an open hook in place.

        A module that was compiled under the hook would be compiled again if it went away.
        """
        self.is_open = False
        self.calls = []

    def take(self) -> list[Call]:
        """What was collected since the last time."""
        calls, self.calls = self.calls, []
        return calls

    def spent(self) -> float:
        """An estimate of the seconds the hook took since the last time this was asked."""
        fired, self.fired = self.fired, 0
        return fired * HOOK_SECONDS

    def _is_here(self) -> bool:
        """Whether a loss may be ours; only with several trainings in threads it may not."""
        return len(backward_passes.observers) < 2 or threading.get_ident() == self._thread

    def _on_forward(
        self, module: nn.Module, args: Any, kwargs: Mapping[str, Any], output: Any
    ) -> None:
        if torch.compiler.is_compiling() or not self.is_open or self.paused:
            return
        self.fired += 1
        wanted = id(module) in self._modules or (
            isinstance(module, nn.modules.loss._Loss) and self._is_here()
        )
        if not wanted or not torch.is_grad_enabled():
            return
        inputs = [args[0]] if len(args) == 1 and type(args[0]) is Tensor else all_tensors(args)
        if kwargs:  # in any order, but what a loss compares with comes last
            inputs += all_tensors([kwargs[name] for name in sorted(kwargs, key=_is_target)])
        result = output if type(output) is Tensor else first_tensor(output)
        version = -1 if result is None else result._version
        # Layers of Keras are given their mode with the call.
        training = bool(kwargs["training"]) if "training" in kwargs else module.training
        self.calls.append(Call(module, inputs, result, version, training))


class SeenLoss(nn.modules.loss._Loss):
    """Stands for a loss that is no module, with the name that it has in the chart."""

    def __init__(self, named: str, *, mean: bool) -> None:
        super().__init__()
        self.named, self.mean = named, mean


_open: list[ForwardTap] = []


def is_loss_wanted() -> bool:
    """Whether a step is looked at, so that `loss_seen` is of use."""
    return any(tap.is_open and not tap.paused for tap in _open)


@lru_cache(maxsize=64)
def _standing_for(named: str, mean: bool) -> SeenLoss:
    return SeenLoss(named, mean=mean)


def loss_seen(
    named: str, prediction: Tensor, target: Tensor, result: Tensor, *, mean: bool
) -> None:
    """A loss that is no module of torch was computed: `mean` of these, or something else."""
    module = _standing_for(named, mean)
    for tap in _open:
        if tap.is_open and not tap.paused and tap._is_here():
            call = Call(module, [prediction, target], result, result._version, module.training)
            tap.calls.append(call)


def _is_target(name: str) -> bool:
    return name in ("target", "targets", "label", "labels", "y", "y_true")
