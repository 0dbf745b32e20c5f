"""Being away for a step: a watched run goes on as if nobody watched, and nobody notices.

While a variant is away its hooks are gone and its clock stands still, so that plain steps can be
put between watched ones and the variant takes the run for an uninterrupted one.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import torch
from torch.nn.modules import module as modules
from torch.optim import Optimizer

PLAIN_BACKWARD = torch.autograd.backward
real_clock = time.perf_counter


class Absence:
    """Leaves a training and comes back; the clock of everybody in this process obeys it."""

    def __init__(self) -> None:
        self._away = 0.0
        time.perf_counter = self._clock  # type: ignore[assignment]
        for name, module in list(sys.modules.items()):  # that hold the clock under its own name
            if name.startswith("paramedic.") and hasattr(module, "perf_counter"):
                module.perf_counter = self._clock

    def _clock(self) -> float:
        return real_clock() - self._away

    @contextmanager
    def of(self, optimizer: Optimizer) -> Iterator[None]:
        """No hook of anybody is called within."""
        left = real_clock()
        put_back = [_emptied(table) for table in _tables(optimizer)]
        wrapped, torch.autograd.backward = torch.autograd.backward, PLAIN_BACKWARD
        try:
            yield
        finally:
            torch.autograd.backward = wrapped
            for restore in put_back:
                restore()
            self._away += real_clock() - left


def _tables(optimizer: Optimizer) -> list[dict[int, Any]]:
    """Where torch keeps the hooks that a variant may have put up."""
    return [
        optimizer._optimizer_step_pre_hooks,
        optimizer._optimizer_step_post_hooks,
        modules._global_forward_hooks,
        modules._global_forward_pre_hooks,
        modules._global_forward_hooks_with_kwargs,
    ]


def _emptied(table: dict[int, Any]) -> Callable[[], None]:
    """Empty the table itself, which others hold by reference; what fills it again."""
    kept = dict(table)
    table.clear()
    return lambda: table.update(kept)
