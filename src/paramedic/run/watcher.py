"""Finds trainings in a running program and watches them.

A training is found at the first forward pass, with gradients, of a module whose parameters an
optimizer holds (or at the first backward pass, where no module is called). From then on an
ordinary monitor watches it; of the discovery stay a hook before the step and the wrappers of
loss functions and loaders, which cost a few microseconds a step.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Container, Sequence
from contextlib import suppress
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.modules.module import register_module_forward_pre_hook
from torch.optim import Optimizer
from torch.optim.optimizer import (
    register_optimizer_step_post_hook,
    register_optimizer_step_pre_hook,
)

from paramedic.probe.backward import backward_passes
from paramedic.probe.compiler import never_traced
from paramedic.probe.guard import Guard, aside, harmless
from paramedic.run.by_hand import ByHand
from paramedic.run.children import Children, sentence
from paramedic.run.discovery import Discovery
from paramedic.run.environments import Environments, Returns
from paramedic.run.guesses import Guesses
from paramedic.run.keeping import Keeping, discard
from paramedic.run.keras import Keras
from paramedic.run.keras_losses import KerasLosses
from paramedic.run.logged import Logged
from paramedic.run.losses import observe_losses
from paramedic.run.notebook import Notebook
from paramedic.run.outcome import Record
from paramedic.run.pairing import held, leaves
from paramedic.run.patching import Function, Patches
from paramedic.run.phases import Phases
from paramedic.run.places import Place, caller
from paramedic.run.printed import Printed
from paramedic.run.program import Enough
from paramedic.run.settings import Settings
from paramedic.run.sources import BACKWARD, LOSS, MODEL, OPTIMIZER, STEP
from paramedic.run.training import Training

_MOST_CALLS = 10_000  # of modules that are asked whether they are trained


class _Here(threading.local):
    """What belongs to one thread of the program."""

    def __init__(self) -> None:
        self.current: Training | None = None  # the one that stepped last
        self.lines: dict[str, Place] = {}  # the newest, until all trainings have theirs


class Watcher:
    """Watches the whole process from `open` to `close`."""

    def __init__(self, settings: Settings, tell: Callable[..., None]) -> None:
        self.guard = Guard(strict=settings.strict, shared=True)
        self._settings = settings
        self._patches = Patches()
        self._guesses: list[Guesses] = []  # of all threads
        self._phases = Phases(self.guard, self._guesses)
        self._notebook = Notebook(self._on_optimizer)
        self._keras = Keras(self._patches, self._notebook.note_optimizer)
        self._keras_losses = KerasLosses(
            self._patches, self.guard, self._notice_loss, self._is_curious
        )
        self._by_hand = ByHand(
            self.guard, self._notebook,
            may_hook=lambda: not self._compiled, on_stray=self._resume,
            on_step=(self._on_step_begin, self._on_step_end),
        )  # fmt: skip
        self._children = Children()
        self.children_trained = 0  # processes, known when it is closed
        self._environments = Environments(self.guard, self._on_return)
        self._early = Returns()  # of episodes before any training was found
        self._logged = Logged(self.guard, self._on_logged)
        self._printed = Printed(self.guard, self._on_logged)
        self._discovery = Discovery(self._notebook, settings, tell, self._stop)
        self._trainings: list[Training] = []
        self._kept = Keeping()
        self._by_optimizer: dict[int, Training] = {}
        self._here = _Here()
        self._handles: list[Any] = []
        self._forward_handle: Any = None
        self._pending = False  # there is an optimizer whose training is not found yet
        self._compiled = False
        self._calls = 0
        self._searching = True
        self._why_stop = ""
        self._process = os.getpid()

    # -- beginning and end -------------------------------------------------------------------

    def open(self) -> None:
        """Start to watch; torch has just been imported."""
        self._notebook.open(self._patches)
        self._phases.open(self._patches)
        self._keras.open()
        self._keras_losses.open()
        self._environments.open()
        self._logged.open()
        self._printed.open()
        self._children.open(self._patches)
        observe_losses(self._patches, self._notice_loss, self._is_curious, self.guard.failed)
        self._patches.wrap(torch, "compile", self._compiler)
        backward_passes.observe(self, everywhere=True)
        self._handles = [register_optimizer_step_pre_hook(self._on_step_begin)]
        if self._settings.may_stop:
            self._handles.append(register_optimizer_step_post_hook(self._on_step_end))
        if hasattr(os, "register_at_fork"):  # only where there is a fork
            os.register_at_fork(after_in_child=self._abandon)

    def close(self) -> list[Record]:
        """Stop watching; what was learned of each training."""
        with suppress(Enough):  # the program is over already
            self._by_hand.close()
        self._end_epoch()
        self._leave()
        self.children_trained = self._children.close()
        for training in self._trainings:
            self._keep(training)
        self._trainings.clear()
        return self._kept.records()

    @property
    def rest(self) -> tuple[str, ...]:
        """What there is to say of trainings that have no record of their own."""
        count = self.children_trained
        return (*self._kept.rest(), *([sentence(count)] if count else []))

    def _abandon(self) -> None:
        """A forked child is not ours to watch, and the traces are not its to write."""
        self._leave()
        for training in self._trainings:
            training.monitor.abandon()
        self._trainings, self._by_optimizer = [], {}
        self._children.in_child()

    def _leave(self) -> None:
        """Take all hooks of the discovery away."""
        self._keras.close()
        self._keras_losses.close()
        self._environments.close()
        self._logged.close()
        self._printed.close()
        self._by_hand.abandon()
        self._close_guesses()
        self._patches.remove()
        backward_passes.forget(self)
        for handle in self._handles:
            handle.remove()
        self._handles = []
        self._disarm()
        self._searching = self._pending = False

    def _close_guesses(self) -> None:
        for guesses in self._guesses:
            guesses.close()

    def _keep(self, training: Training) -> None:
        record = self.guard.attempt("records", training.close)
        if record is not None:
            self.guard.attempt("records", self._kept.add, record)

    # -- finding -----------------------------------------------------------------------------

    def _on_optimizer(self) -> None:
        """There is an optimizer: the next forward pass may be the first of a training."""
        if self._process != os.getpid():
            return
        self._resume()
        self._pending = True
        if self._forward_handle is None and not self._compiled:
            self._forward_handle = register_module_forward_pre_hook(self._on_forward)

    def _resume(self) -> None:
        """Look at backward passes again: there may be another training."""
        if not self._searching:
            self._searching = True
            backward_passes.observe(self, everywhere=True)

    def _compiler(self, original: Function) -> Function:
        """Compiled modules warn of global hooks, and are compiled again when these go: such a
        training is found at its first backward pass."""

        def compile(*args: Any, **kwargs: Any) -> Any:
            self._compiled = True
            self._disarm()
            self._close_guesses()
            return original(*args, **kwargs)

        return compile

    def _disarm(self) -> None:
        if self._forward_handle is not None:
            self._forward_handle.remove()
            self._forward_handle = None

    @never_traced
    @harmless("discovery")
    def _on_forward(self, module: nn.Module, args: Any) -> None:
        if torch.is_grad_enabled() and not torch.compiler.is_compiling():
            self._calls += 1
            self._search(module)
            if self._calls >= _MOST_CALLS:  # a backward pass will tell
                self._disarm()

    @aside("discovery")
    def _search(self, called: nn.Module | None, used: Container[int] = ()) -> None:
        if called is not None and not self._discovery.is_trained(called, self._by_optimizer):
            return
        self._disarm()
        self._pending = False
        before = [self._by_optimizer[id(one)] for one in self._by_hand.superseded()]
        for training in before:
            self._forget(training)
        place = caller()
        if place is not None and called is not None:
            self._here.lines[MODEL] = place
        for training in self._discovery.trainings(called, self._by_optimizer, used):
            self._add(training)
            for other in before:
                training.monitor.follow(other.monitor)
        if self._discovery.is_waiting(self._by_optimizer):  # for the thread that trains it
            self._on_optimizer()

    def _add(self, training: Training) -> None:
        for other in [one for one in self._trainings if one.precedes(training)]:
            self._forget(other)
        for optimizer in training.pair.optimizers:
            self._by_optimizer[id(optimizer)] = training
        for _, value in self._early.all():
            training.returns.add(0, value)
        self._trainings.append(training)
        if len(training.pair.models) == 1 and not self._compiled:
            self._phases.guesses.follow(training.pair.models[0])

    # -- what happens ------------------------------------------------------------------------

    def before_backward(self, roots: Sequence[Tensor]) -> None:
        """The observer of all backward passes, as long as something is to be found."""
        if self._searching:
            self._notice_backward(roots)

    def after_backward(self) -> None: ...

    @aside("discovery")
    def _notice_backward(self, roots: Sequence[Tensor]) -> None:
        place = caller()
        if place is not None:
            self._here.lines[BACKWARD] = place
        if self._pending or self._by_hand.search(roots):
            self._search(None, leaves(roots))
        here = [one for one in self._trainings if one.thread == threading.get_ident()]
        for training in here:
            training.backward_began(roots)
        if len(here) > 1:
            self._join(here, roots)

    def _join(self, here: Sequence[Training], roots: Sequence[Tensor]) -> None:
        """Trainings that a loss reaches together, as in an adversarial pair, are one."""
        reached = self._discovery.reached(roots, here)
        if len(reached) < 2:
            return
        for training in reached:
            training.monitor.close()
            discard(training.monitor.trace)
            self._trainings.remove(training)
        whole = self._discovery.joined(reached)
        self._add(whole)
        whole.returns, whole.logs = reached[0].returns, reached[0].logs

    def _is_curious(self) -> bool:
        """Whether the losses of trainings still have something to tell."""
        return self._searching or self._phases.noting

    @aside("losses")
    def _notice_loss(
        self, name: str, prediction: Tensor, target: Tensor, reduction: str, result: Tensor
    ) -> None:
        if self._searching and torch.is_grad_enabled() and result.requires_grad:
            place = caller()
            if place is not None:
                self._here.lines[LOSS] = place
        self._phases.loss_called(name, prediction, target, reduction, result)

    @aside("epochs")
    def _end_epoch(self) -> None:
        values, training = self._phases.take(), self._here.current
        if training is not None and (values is not None or training.evaluated):
            training.epoch(values or {})

    def _on_return(self, value: float) -> None:
        """An episode in an environment has ended."""
        if not self._trainings and not self._kept:
            self._early.add(0, value)
        for training in self._trainings:
            training.returns.add(training.monitor.last_step + 1, value)

    def _on_logged(self, source: str, values: dict[str, float]) -> None:
        """The program has logged metrics: they are of the trainings that are at work."""
        for training in self._trainings:
            if training.is_at_work:
                training.logged(source, values)

    # -- steps -------------------------------------------------------------------------------

    @never_traced
    def _on_step_begin(self, optimizer: Optimizer, args: Any, kwargs: Any) -> None:
        self.guard.attempt("discovery", self._begin_step, optimizer)

    def _begin_step(self, optimizer: Optimizer) -> None:
        if self._searching:
            self._notice_step(optimizer)
        here = self._here
        if not self._phases.trained():
            self._end_epoch()
            self._phases.trained()
        elif here.current is not None and here.current.evaluated:
            self._end_epoch()
        training = self._by_optimizer.get(id(optimizer))
        if training is None:
            self._notebook.revive(optimizer)
            return
        here.current, training.thread = training, threading.get_ident()
        if self._environments.steps:
            training.interacted(self._environments.steps)
        if len(self._trainings) > 1:
            self._age(training)

    @aside("discovery")
    def _notice_step(self, optimizer: Optimizer) -> None:
        if self._pending:
            self._search(None, held([optimizer]))
        training = self._by_optimizer.get(id(optimizer))
        if training is not None and not training.complete:
            self._locate(training)
        if not self._pending and all(one.complete for one in self._trainings):
            self._searching = False
            backward_passes.forget(self)

    def _locate(self, training: Training) -> None:
        """The lines that were run last are those of this training."""
        line = self._by_hand.line(training.pair.optimizers[0])
        place = line or caller()
        if place is not None:
            self._here.lines[STEP] = place
        training.places.update(self._here.lines)
        if line is not None:
            training.places[OPTIMIZER] = line
        # Inside a closure the first step begins before its backward pass.
        training.complete = BACKWARD in training.places or training.monitor.last_step > 0

    @never_traced
    @harmless("discovery")
    def _on_step_end(self, optimizer: Optimizer, args: Any, kwargs: Any) -> None:
        training = self._by_optimizer.get(id(optimizer))
        if training is None:
            return
        most = self._settings.max_steps
        if most is not None and training.monitor.last_step + 1 >= most:
            raise Enough(f"after {most} steps, as --max-steps says")
        if self._why_stop:
            raise Enough(self._why_stop)

    @aside("discovery")
    def _age(self, stepped: Training) -> None:
        """A training that has not stepped for long while another has is over: let go of it."""
        stepped.longest_pause = max(stepped.longest_pause, stepped.steps_of_others)
        stepped.steps_of_others = 0
        for training in list(self._trainings):
            if training is not stepped and training.thread == stepped.thread:
                training.steps_of_others += 1
                if training.is_over:
                    self._forget(training)

    def _forget(self, training: Training) -> None:
        self._trainings.remove(training)
        self._by_hand.drop(training.pair.optimizers)
        for optimizer in training.pair.optimizers:
            self._notebook.strike(optimizer)
        self._keep(training)
        for key, one in list(self._by_optimizer.items()):
            if one is training:
                del self._by_optimizer[key]

    def _stop(self, why: str) -> None:
        self._why_stop = why
