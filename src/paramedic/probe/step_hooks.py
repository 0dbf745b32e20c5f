"""Hooks around the steps of optimizers."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
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

    def release(self) -> None:
        """They will not be attached again: let go of who is called, and of the optimizers."""
        self._optimizers = ()
        self._begin = self._end = _nobody

    def put_last(self) -> None:
        """Let `begin` come after the hooks of others: who acts must see what they did to
        gradients and rates, and undo what he does before they undo theirs."""
        for hooks, handle in self._before():
            if next(reversed(hooks)) != handle.id:
                hooks.move_to_end(handle.id)

    def rest(self) -> None:
        """Let `begin` not be called until `wake`, where no hook of others could come in between."""
        for hooks, handle in self._before():
            if len(hooks) == 1:
                hooks.pop(handle.id, None)

    def wake(self) -> None:
        """Undo `rest`."""
        for hooks, handle in self._before():
            hooks.setdefault(handle.id, self._begin)

    def _before(self) -> Iterator[tuple[Any, Any]]:
        for optimizer, handle in zip(self._optimizers, self._handles[::2], strict=True):
            yield optimizer._optimizer_step_pre_hooks, handle


def _nobody(optimizer: Optimizer, args: Any, kwargs: Any) -> None: ...
