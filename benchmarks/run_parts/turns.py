"""A script under `paramedic run` in which every other step is a plain one.

Two processes differ by more than what is to be measured, and the speed of a shared machine
changes from one tenth of a second to the next. So the script runs once, as `paramedic run` runs
it, and at each `zero_grad`, where a step of these scripts begins, we leave or come back: all our
hooks and wrappers are taken away or put back, and our clock stands still while we are away. A
watched step is compared with the plain ones before and after it, by the clock on the wall and by
the time of the processor, which does not count what others do on the same core.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import Any

import torch
from torch.nn.modules import module as modules
from torch.optim import Optimizer
from torch.optim import optimizer as optimizers

from paramedic.run import watcher as watching

real_clock = time.perf_counter
PLAIN_BACKWARD = torch.autograd.backward


class Turns:
    """Times the steps of one script; `begin` is how many steps are watched before that."""

    def __init__(self, begin: int) -> None:
        self._begin = begin
        self._steps = 0
        self._clock = Clock()
        self._away: list[Callable[[], None]] | None = None
        self._watcher: Any = None
        self._since = 0.0, 0.0
        self._looks: tuple[int, ...] = ()
        self.plain: list[tuple[float, float]] = []  # seconds on the wall, and of the processor
        self.watched: list[tuple[float, float]] = []
        self.kinds: list[int] = []

    def install(self) -> None:
        """Be called at each `zero_grad`, and know the watcher when there is one."""
        opened, zeroed = watching.Watcher.open, Optimizer.zero_grad
        turns = self

        def open(watcher: Any) -> None:
            turns._watcher = watcher
            opened(watcher)
            turns._clock.rule()

        def zero_grad(optimizer: Optimizer, *args: Any, **kwargs: Any) -> None:
            turns._at_step(optimizer)
            zeroed(optimizer, *args, **kwargs)
            turns._since = real_clock(), time.process_time()

        watching.Watcher.open = open  # type: ignore[method-assign]
        Optimizer.zero_grad = zero_grad  # type: ignore[method-assign]

    def _at_step(self, optimizer: Optimizer) -> None:
        wall, processor = self._since
        seconds = real_clock() - wall, time.process_time() - processor
        self._steps += 1
        if self._steps <= self._begin:
            return
        if self._away is not None:
            self.plain.append(seconds)
            self._come_back()
            self._looks = self._counted()
        else:
            if self.plain:
                self.watched.append(seconds)
                self.kinds.append(self._kind())
            self._leave(optimizer)

    def _counted(self) -> tuple[int, ...]:
        (training,) = self._watcher._trainings
        return tuple(training.monitor._loop.schedule.looks.values())

    def _kind(self) -> int:
        """Which sort of look there was: 0 for none."""
        grown = zip(self._looks, self._counted(), strict=True)
        return max((place + 1 for place, (old, new) in enumerate(grown) if new > old), default=0)

    def _leave(self, optimizer: Optimizer) -> None:
        self._clock.stop()
        self._away = [_emptied(table) for table in _tables(optimizer)]
        self._away += [_restored(*one) for one in self._watcher._patches._placed]
        wrapped, torch.autograd.backward = torch.autograd.backward, PLAIN_BACKWARD
        self._away.append(lambda: setattr(torch.autograd, "backward", wrapped))

    def _come_back(self) -> None:
        for put_back in self._away or ():
            put_back()
        self._away = None
        self._clock.go_on()


class Clock:
    """Stands still from `stop` to `go_on`, for us alone."""

    def __init__(self) -> None:
        self._lost = 0.0
        self._stopped = 0.0

    def __call__(self) -> float:
        return real_clock() - self._lost

    def rule(self) -> None:
        """Be the clock of everything of ours that is imported."""
        time.perf_counter = self  # type: ignore[assignment]
        for name, module in list(sys.modules.items()):
            if name.startswith("paramedic.") and hasattr(module, "perf_counter"):
                module.perf_counter = self

    def stop(self) -> None:
        """We are away."""
        self._stopped = real_clock()

    def go_on(self) -> None:
        """We are back."""
        self._lost += real_clock() - self._stopped


def _tables(optimizer: Optimizer) -> list[dict[int, Any]]:
    """Where torch keeps the hooks that we may have put up."""
    return [
        optimizer._optimizer_step_pre_hooks,
        optimizer._optimizer_step_post_hooks,
        optimizers._global_optimizer_pre_hooks,
        optimizers._global_optimizer_post_hooks,
        modules._global_forward_hooks,
        modules._global_forward_pre_hooks,
        modules._global_forward_hooks_with_kwargs,
    ]


def _emptied(table: dict[int, Any]) -> Callable[[], None]:
    """Empty the table itself, which others hold by reference; what fills it again."""
    kept = dict(table)
    table.clear()
    return lambda: table.update(kept)


def _restored(owner: Any, name: str, original: Any, wrapper: Any) -> Callable[[], None]:
    """Take a wrapper away; what puts it back. Methods of modules stay: steps do not call them,
    and setting them would empty the caches of the interpreter."""
    if owner is torch.nn.Module or owner is Optimizer:
        return lambda: None
    setattr(owner, name, original)
    return lambda: setattr(owner, name, wrapper)
