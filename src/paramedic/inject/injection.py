"""The object that `paramedic.inject` returns: begins and ends faults as the steps go by."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any, Self

import torch
from torch import nn
from torch.optim import Optimizer
from torch.optim.optimizer import register_optimizer_step_post_hook

from paramedic.inject.fault import Fault, InjectionError
from paramedic.inject.site import Site
from paramedic.inject.timetable import Timetable
from paramedic.probe.scaler import scaled_steps

_PATIENCE = 2  # steps of an occasion after which a fault must have found something to do


@dataclass(slots=True)
class Plan:
    """One fault, when it is due, and where it is at work, if it is."""

    fault: Fault
    timetable: Timetable
    generator: torch.Generator = field(default_factory=torch.Generator)
    site: Site | None = None
    occasion: int | None = None
    steps: int = 0  # of this occasion that are over


class Injection:
    """Makes a model sick, as planned, until it is closed; also a context manager.

    `step` is the number of the step under way, from 0, as a monitor that is attached at the same
    time counts. `log` tells what was really done, and at which step: one entry for each occasion
    on which a fault acted.
    """

    def __init__(
        self, model: nn.Module, optimizers: Sequence[Optimizer], plans: Sequence[Plan]
    ) -> None:
        self.step = 0
        self.log: list[tuple[int, str]] = []
        self._model, self._optimizers = model, tuple(optimizers)
        self._plans = tuple(plans)
        self._stepped: set[int] = set()
        self._scaling = False
        self._batches = 0
        self._closed = False
        self._after = ExitStack()  # what is undone when the optimizer has stepped
        self._undo = ExitStack()
        with ExitStack() as failing:
            failing.callback(self.close)
            self._attach()
            self._turn()
            failing.pop_all()

    @property
    def faults(self) -> tuple[Fault, ...]:
        """The faults with their settings."""
        return tuple(plan.fault for plan in self._plans)

    def batch(self, inputs: Any, targets: Any) -> tuple[Any, Any]:
        """Inputs and targets as the faults on targets make them; else as they are.

        Has to be called on every training batch if such a fault is asked for.
        """
        self._batches += 1
        for plan in self._plans:
            if plan.site is not None:
                inputs, targets = plan.site.batch(inputs, targets)
        return inputs, targets

    def close(self) -> None:
        """End all faults and let go of the model. Closing twice does nothing."""
        if self._closed:
            return
        self._closed = True
        self._after.close()
        for plan in reversed(self._plans):
            _end(plan)
        self._undo.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    # -- counting steps --------------------------------------------------------------------------

    def _attach(self) -> None:
        for optimizer in self._optimizers:
            self._undo.callback(optimizer.register_step_pre_hook(self._on_step_begin).remove)
        # A hook of all optimizers runs after those of one: whoever watches has seen the step.
        self._undo.callback(register_optimizer_step_post_hook(self._on_step_end).remove)
        scaled_steps.observe(self)
        self._undo.callback(scaled_steps.forget, self)

    def _is_ours(self, optimizer: Optimizer) -> bool:
        return any(optimizer is one for one in self._optimizers)

    def _on_step_begin(self, optimizer: Optimizer, args: Any, kwargs: Any) -> None:
        for plan in self._plans:
            if plan.site is not None:
                plan.site.step_begins(optimizer, self._after)

    def _on_step_end(self, optimizer: Optimizer, args: Any, kwargs: Any) -> None:
        if self._is_ours(optimizer):
            self._after.close()
            if not self._scaling:
                self._stepped_with(optimizer)

    def before_scaled_step(self, optimizer: Optimizer, scale: float) -> None:
        """A gradient scaler is about to step, or to skip."""
        self._scaling = self._scaling or self._is_ours(optimizer)

    def after_scaled_step(self, optimizer: Optimizer, *, skipped: bool) -> None:
        """A step that was skipped is a step as well."""
        if self._is_ours(optimizer):
            self._scaling = False
            self._stepped_with(optimizer)

    def _stepped_with(self, optimizer: Optimizer) -> None:
        """A step of several optimizers is over when all have stepped, or one steps again."""
        again = id(optimizer) in self._stepped
        self._stepped = {id(optimizer)} if again else {*self._stepped, id(optimizer)}
        everyone = len(self._stepped) == len(self._optimizers)
        if everyone:
            self._stepped = set()
        if everyone or again:
            self._advance()

    def _advance(self) -> None:
        for plan in self._plans:
            self._check(plan)
        self.step += 1
        self._turn()

    # -- faults begin and end --------------------------------------------------------------------

    def _turn(self) -> None:
        for plan in self._plans:
            occasion = plan.timetable.occasion(self.step)
            if occasion != plan.occasion:
                _end(plan)
                if occasion is not None:
                    self._begin(plan, occasion)

    def _begin(self, plan: Plan, occasion: int) -> None:
        def log(what: str) -> None:
            self.log.append((self.step, f"{plan.fault.slug}: {what}"))

        plan.site = Site(self._model, self._optimizers, plan.generator, log)
        plan.occasion, plan.steps = occasion, 0
        plan.fault.begin(plan.site)

    def _check(self, plan: Plan) -> None:
        """An injection that does nothing must not pass for one that was not found."""
        if plan.fault.reads_batch and not self._batches:
            raise InjectionError(
                f"The fault `{plan.fault.slug}` changes targets, which only your loop has, and "
                "the first step is over without any. Pass each training batch through "
                "`x, y = injection.batch(x, y)`."
            )
        if plan.site is None or plan.site.acted:
            return
        plan.steps += 1
        ends = plan.timetable.occasion(self.step + 1) != plan.occasion
        if ends or plan.steps >= _PATIENCE:
            raise InjectionError(
                f"The fault `{plan.fault.slug}` was due by step {self.step} but could do nothing: "
                f"{plan.fault.needs}."
            )


def _end(plan: Plan) -> None:
    if plan.site is not None:
        plan.site.close()
    plan.site = plan.occasion = None
