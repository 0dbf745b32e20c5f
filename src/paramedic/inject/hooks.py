"""Hooks that sit in a module and survive what is done to modules.

Hooks are copied and pickled with their module. A copy shares the switch of the original, so it is
sick as long as that is and no longer; a pickle carries a hook that does nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn
from torch.utils._pytree import tree_flatten, tree_unflatten

Change = Callable[[Tensor], Tensor]


class Hook:
    """Something in a module that can be switched off; `tell` says that it acts."""

    def __init__(self, tell: Callable[[], None] | None = None) -> None:
        self.on = True
        self._tell = tell

    def tell(self) -> None:
        """It acts."""
        if self._tell is not None:
            self._tell()

    def switch_off(self) -> None:
        """Do nothing from now on, in no copy either."""
        self.on = False

    def __deepcopy__(self, memo: Any) -> Hook:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return Spent, ()

    def __call__(self, *args: Any) -> Any:
        return None


class Spent(Hook):
    """What is left of a hook in a pickle."""

    def __init__(self) -> None:
        super().__init__()
        self.switch_off()


class InputHook(Hook):
    """Changes the first tensor that a module takes in: in training passes, or `always`."""

    def __init__(self, change: Change, *, always: bool) -> None:
        super().__init__()
        self._change, self._always = change, always

    def __call__(self, module: nn.Module, args: Any, kwargs: Any) -> Any:
        if not self.on or not (self._always or torch.is_grad_enabled()):
            return None
        return change_first((args, kwargs), self._change)


class EvaluationHook(Hook):
    """Puts the modules that train into evaluation mode, before a training pass of their root."""

    def __init__(self, tell: Callable[[], None]) -> None:
        super().__init__(tell)
        self.turned: list[list[nn.Module]] = []  # by passes under way, the innermost last

    def __call__(self, module: nn.Module, args: Any) -> None:
        active = self.on and torch.is_grad_enabled()
        turned = [one for one in module.modules() if one.training] if active else []
        self.turned.append(turned)
        _set_training(turned, False)
        if turned:
            self.tell()


class TrainingHook(Hook):
    """Puts them back when the pass is over."""

    def __init__(self, before: EvaluationHook) -> None:
        super().__init__()
        self._before = before

    def __call__(self, module: nn.Module, args: Any, output: Any) -> None:
        if self._before.turned:
            _set_training(self._before.turned.pop(), True)


def _set_training(modules: list[nn.Module], mode: bool) -> None:
    for module in modules:
        module.training = mode


def change_first(tree: Any, change: Change) -> Any:
    """A nest of tuples, lists and mappings with its first tensor changed."""
    leaves, shape = tree_flatten(tree)
    for place, leaf in enumerate(leaves):
        if isinstance(leaf, Tensor):
            leaves[place] = change(leaf)
            return tree_unflatten(leaves, shape)
    return tree
