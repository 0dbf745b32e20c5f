"""Optimizers of torch that stand for something that moves weights and is none of torch's own."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from torch import Tensor
from torch.optim import Optimizer


class Shadow(Optimizer):
    """Has the parameters and, if it is known, the rate; its step is the step of what it stands
    for. So hooks and monitors see what they would see anywhere else."""

    def __init__(
        self, parameters: Sequence[Tensor], rate: float | None = None, framework: str = ""
    ) -> None:
        known = {"lr": rate, "framework": framework or None}
        super().__init__(parameters, {name: one for name, one in known.items() if one is not None})
        self.work: Callable[[], Any] = lambda: None

    def add_param_group(self, param_group: dict[str, Any]) -> None:
        """Nothing has to be checked; the method of torch would import its compiler, which a
        program without optimizers does not need."""
        self.param_groups.append({**self.defaults, **param_group})

    def step(self, closure: Any = None) -> Any:
        """What the other one does."""
        return self.work()

    def stepped(self) -> None:
        """What it stands for has stepped already: only the hooks of its own are called, not those
        that the program may have for all optimizers, and nothing is written to a profile."""
        for hook in tuple(self._optimizer_step_pre_hooks.values()):
            hook(self, (self,), {})
        for hook in tuple(self._optimizer_step_post_hooks.values()):
            hook(self, (self,), {})


def shadow(
    name: str, parameters: Sequence[Tensor], rate: float | None = None, framework: str = ""
) -> Shadow:
    """A shadow that is called `name` where optimizers are named by their class; `framework` is
    where that class is from."""
    kind: type[Shadow] = type(name, (Shadow,), {})
    return kind(parameters, rate, framework)
