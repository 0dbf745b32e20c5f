"""Where a fault works: the handles by which it can get at a patient, and their removal.

The order of things is what makes an injected fault look like a real one. A gradient is changed on
its way into `.grad`, so that clipping and a monitor, which read it there, see the changed one as
the raw one. The output of a module is changed before any other hook sees it. What happens around
an optimizer step is undone after all other hooks of that step, so that they see it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import ExitStack
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.modules.module import _global_forward_hooks, register_module_forward_hook
from torch.optim import Optimizer

from paramedic.inject.hooks import (
    Change,
    EvaluationHook,
    Hook,
    InputHook,
    TrainingHook,
    change_first,
)

BeforeStep = Callable[[Optimizer, ExitStack], None]
BatchChange = Callable[[Any, Any], tuple[Any, Any]]


class Site:
    """The patient of one fault on one occasion.

    `generator` is the fault's own stream of random numbers, on the host; the user's is never
    drawn from.
    """

    def __init__(
        self,
        model: nn.Module,
        optimizers: Sequence[Optimizer],
        generator: torch.Generator,
        log: Callable[[str], None],
    ) -> None:
        self.model, self.optimizers, self.generator = model, tuple(optimizers), generator
        self.acted = False
        self._log = log
        self._undo = ExitStack()
        self._before_step: list[BeforeStep] = []
        self._batch_changes: list[BatchChange] = []

    def tell(self, what: str) -> None:
        """Say what is being done; the first time on this occasion goes into the log."""
        if not self.acted:
            self.acted = True
            self._log(what)

    def close(self) -> None:
        """Take everything away again, the last thing first."""
        self._before_step.clear()
        self._batch_changes.clear()
        self._undo.close()

    # -- what a fault can get at -----------------------------------------------------------------

    def at_end(self, undo: Callable[[], object]) -> None:
        """Call this when the occasion is over."""
        self._undo.callback(undo)

    def on_input(
        self, change: Change, module: nn.Module | None = None, *, always: bool = False
    ) -> None:
        """Change the first tensor that the model, or one of its modules, takes in.

        Only in passes that record gradients, which are those of training, unless `always`.
        """
        hook = InputHook(change, always=always)
        handle = (module or self.model).register_forward_pre_hook(hook, with_kwargs=True)
        self.at_end(handle.remove)
        self.at_end(hook.switch_off)

    def on_output(self, module: nn.Module, change: Change, *, always: bool = False) -> None:
        """Change the first tensor that a module, or a copy of it, gives out, for everybody who
        looks at it."""
        mark = Hook()  # goes along with copies
        self.at_end(module.register_forward_hook(mark).remove)

        def hook(called: nn.Module, args: Any, output: Any) -> Any:
            ours = mark in called._forward_hooks.values()
            if not ours or not (always or torch.is_grad_enabled()):
                return None
            return change_first(output, change)

        handle = register_module_forward_hook(hook)
        # Hooks of all modules run before those of one, and the first one first.
        _global_forward_hooks.move_to_end(handle.id, last=False)  # type: ignore[attr-defined]
        self.at_end(handle.remove)

    def on_gradient(self, parameter: Tensor, change: Change) -> None:
        """Change what each backward pass adds to the gradient of a parameter.

        Not the sum: where several passes make one step, it would be changed again by each.
        """
        handle = parameter.register_hook(change)  # type: ignore[no-untyped-call]
        self.at_end(handle.remove)

    def in_evaluation(self, what: str) -> None:
        """Run the training passes of the model in evaluation mode, and tell `what` in the log."""
        before = EvaluationHook(lambda: self.tell(what))
        after = TrainingHook(before)
        self.at_end(self.model.register_forward_pre_hook(before).remove)
        self.at_end(self.model.register_forward_hook(after, always_call=True).remove)
        self.at_end(before.switch_off)

    def before_step(self, action: BeforeStep) -> None:
        """Do this right before an optimizer steps; what it puts on the stack is done after."""
        self._before_step.append(action)

    def on_batch(self, change: BatchChange) -> None:
        """Change inputs and targets on their way through `injection.batch`."""
        self._batch_changes.append(change)

    def replace(self, owner: Any, name: str, function: Callable[..., Any]) -> None:
        """Put a function in the place of a method of one object."""
        own = vars(owner)
        if name in own:
            self._undo.callback(own.__setitem__, name, own[name])
        else:
            self._undo.callback(own.pop, name, None)
        own[name] = function

    # -- what the injection passes on ------------------------------------------------------------

    def step_begins(self, optimizer: Optimizer, after: ExitStack) -> None:
        """An optimizer is about to step."""
        for action in self._before_step:
            action(optimizer, after)

    def batch(self, inputs: Any, targets: Any) -> tuple[Any, Any]:
        """A batch comes through `injection.batch`."""
        for change in self._batch_changes:
            inputs, targets = change(inputs, targets)
        return inputs, targets
