"""Catching what modules take in and give out, without leaving anything in the model.

The hook is a global one, since hooks that are stored in modules would be pickled and copied with
them. What it sees is reduced to numbers at once: a tensor that was kept until the backward pass
would keep its graph, however many forward passes come before that.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Container, Mapping
from functools import lru_cache
from time import perf_counter
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.modules.module import (
    _global_forward_hooks_with_kwargs,
    register_module_forward_hook,
)
from torch.utils.hooks import RemovableHandle

from paramedic.probe.backward import BackwardObserver, backward_passes
from paramedic.probe.call import Call, CallReader, Subject
from paramedic.probe.guard import Guard
from paramedic.probe.layers import Layers
from paramedic.probe.tensors import all_tensors, first_tensor
from paramedic.probe.unseen import is_readable_now

HOOK_SECONDS = 4e-6  # one call of a global forward hook, the slower path of `__call__` included
_MOST_CALLS = 4096  # that are remembered


def remove_global_hook(handle: RemovableHandle) -> None:
    """Remove a global forward hook wholly: torch leaves its entry for keyword arguments behind."""
    handle.remove()
    _global_forward_hooks_with_kwargs.pop(handle.id, None)


class ForwardTap:
    """Collects the calls of watched modules while it is open.

    `modules` tells, by `id`, the modules to keep; torch's loss modules are kept as well. With
    `layers` only their rows are measured; of the modules in `copied`, all if it is not given, the
    arguments are kept as far as they are small. Backward passes of the thread that calls
    them concern the `observer`.
    """

    def __init__(
        self,
        modules: Container[int],
        layers: Layers | None = None,
        copied: Container[int] | None = None,
        guard: Guard | None = None,
        observer: BackwardObserver | None = None,
    ) -> None:
        self._modules, self._layers, self._copied = modules, layers, copied
        self._observer = observer
        self._guard = Guard(strict=True) if guard is None else guard
        self._handle: RemovableHandle | None = None
        self._thread, self._is_claimed = 0, False
        self._reader = CallReader()
        self.is_open = False
        self.paused = False  # during a backward pass, which may run a forward pass again
        self.calls: deque[Call] = deque(maxlen=_MOST_CALLS)
        self.fired = 0
        self.seconds = 0.0  # of reading

    def open(self) -> None:
        """Start to collect."""
        self.is_open = True
        self._thread = self._thread or threading.get_ident()
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
        self.take()

    def end(self) -> None:
        """Stop for good."""
        self.close()
        self._observer = None

    def mute(self) -> None:
        """Collect no more, but leave an open hook in place.

        A module that was compiled under the hook would be compiled again if it went away.
        """
        self.is_open = False
        self.take()

    def take(self) -> list[Call]:
        """What was collected since the last time."""
        calls = list(self.calls)
        self.calls.clear()
        self._reader.forget()
        return calls

    def spent(self) -> float:
        """The seconds the hook took since the last time this was asked: those of its mere calls
        are an estimate."""
        fired, self.fired = self.fired, 0
        seconds, self.seconds = self.seconds, 0.0
        return fired * HOOK_SECONDS + seconds

    def _is_here(self) -> bool:
        """Whether a loss may be ours; only with several trainings in threads it may not."""
        return len(backward_passes.observers) < 2 or threading.get_ident() == self._thread

    def _on_forward(self, module: nn.Module, args: Any, *rest: Any) -> None:
        if torch.compiler.is_compiling() or not self.is_open or self.paused:
            return
        # While another thread puts the hook up or takes it down, torch may leave the keyword
        # arguments out.
        kwargs, output = rest if len(rest) == 2 else ({}, rest[0])
        self.fired += 1
        try:
            wanted = self._is_wanted(module)
        except Exception as error:  # noqa: BLE001 - raised again if the guard is strict
            self._guard.failed("activations", error)
            return
        if wanted and torch.is_grad_enabled():
            begin = perf_counter()
            self._guard.attempt("activations", self._note, module, args, kwargs, output)
            self.seconds += perf_counter() - begin

    def _is_wanted(self, module: nn.Module) -> bool:
        if id(module) in self._modules:
            self.is_ours()
            return True
        return isinstance(module, nn.modules.loss._Loss) and self._is_here()

    def is_ours(self) -> None:
        """This thread trains: losses and backward passes here are ours. Called at each step."""
        here = threading.get_ident()
        if self._thread != here or not self._is_claimed:
            self._thread, self._is_claimed = here, True
            if self._observer is not None:
                backward_passes.claim(self._observer)

    def _note(self, module: nn.Module, args: Any, kwargs: Mapping[str, Any], output: Any) -> None:
        inputs = [args[0]] if len(args) == 1 and type(args[0]) is Tensor else all_tensors(args)
        if kwargs:  # in any order, but what a loss compares with comes last
            inputs += all_tensors([kwargs[name] for name in sorted(kwargs, key=_is_target)])
        result = output if type(output) is Tensor else first_tensor(output)
        if is_readable_now(inputs if result is None else [*inputs, result]):
            # Layers of Keras are given their mode with the call.
            training = bool(kwargs["training"]) if "training" in kwargs else module.training
            subject = self._subject(module, training=training)
            self.calls.append(self._reader.read(subject, module, inputs, result))

    def _subject(self, module: nn.Module, *, training: bool) -> Subject:
        key, kind, layers = id(module), type(module).__name__, self._layers
        is_loss = isinstance(module, nn.modules.loss._Loss)
        is_row = layers is None or key in layers.index
        is_copied = self._copied is None or key in self._copied
        return Subject(key, kind, training, is_loss, is_row=is_row, is_copied=is_copied)

    def report(self, loss: SeenLoss, inputs: list[Tensor], result: Tensor) -> None:
        """A loss that is no module was computed."""
        if self.is_open and not self.paused and self._is_here():
            subject = Subject(id(loss), loss.named, True, is_loss=True, is_mean=loss.mean)
            begin = perf_counter()
            call = self._guard.attempt(
                "activations", self._reader.read, subject, loss, inputs, result
            )
            self.calls.extend(() if call is None else (call,))
            self.seconds += perf_counter() - begin


class SeenLoss(nn.modules.loss._Loss):
    """Stands for a loss that is no module, with the name that it has in the chart."""

    def __init__(self, named: str, *, mean: bool) -> None:
        super().__init__()
        self.named, self.mean = named, mean


_open: list[ForwardTap] = []


def is_loss_wanted() -> bool:
    """Whether a step is looked at, so that `loss_seen` is of use."""
    return any(tap.is_open and not tap.paused for tap in tuple(_open))


@lru_cache(maxsize=64)
def _standing_for(named: str, mean: bool) -> SeenLoss:
    return SeenLoss(named, mean=mean)


def loss_seen(
    named: str, prediction: Tensor, target: Tensor, result: Tensor, *, mean: bool
) -> None:
    """A loss that is no module of torch was computed: `mean` of these, or something else."""
    for tap in tuple(_open):
        tap.report(_standing_for(named, mean), [prediction, target], result)


def _is_target(name: str) -> bool:
    return name in ("target", "targets", "label", "labels", "y", "y_true")
