"""Hooks around the steps of optimizers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from torch.optim import Optimizer

Hook = Callable[[Optimizer, Any, Any], None]


class StepHooks:
    """`begin` is called before each step of the optimizers, `end` after it."""

    def __init__(self, optimizers: Sequence[Optimizer], begin: Hook, end: Hook) -> None:
        self._optimizers, self._begin, self._end = tuple(optimizers), begin, end
        self._handles: list[Any] = []

    def attach(self) -> None:
        """Start to be called."""
        for optimizer in self._optimizers:
            self._handles.append(optimizer.register_step_pre_hook(self._begin))
            self._handles.append(optimizer.register_step_post_hook(self._end))

    def detach(self) -> None:
        """Stop."""
        for handle in self._handles:
            handle.remove()
        self._handles.clear()

    def put_last(self) -> None:
        """Let `begin` come after the hooks of others: who acts must see what they did to
        gradients and rates, and undo what he does before they undo theirs."""
        for optimizer, handle in zip(self._optimizers, self._handles[::2], strict=True):
            hooks: Any = optimizer._optimizer_step_pre_hooks
            if next(reversed(hooks)) != handle.id:
                hooks.move_to_end(handle.id)
