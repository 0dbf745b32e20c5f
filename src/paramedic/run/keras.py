"""Optimizers of Keras 3 on torch: they move torch's parameters but are none of torch's own.

Each gets a shadow that is: an optimizer of torch with the same parameters, name and rate, whose
step is the step of Keras. So hooks and monitors see what they would see anywhere else.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor
from torch.optim import Optimizer

from paramedic.run.imports import AfterImport
from paramedic.run.patching import Function, Patches
from paramedic.run.places import Place, caller

_HOME = "keras.src.optimizers.base_optimizer"
OnShadow = Callable[[Optimizer, Place | None], None]


class Shadow(Optimizer):
    """Steps when the optimizer of Keras does."""

    def __init__(self, parameters: list[Tensor], rate: float) -> None:
        super().__init__(parameters, {"lr": rate})
        self.work: Callable[[], Any] = lambda: None

    def step(self, closure: Any = None) -> Any:
        """What Keras does."""
        return self.work()


class Keras:
    """Waits for Keras; `on_shadow` is told of each optimizer at its first step."""

    def __init__(self, patches: Patches, on_shadow: OnShadow) -> None:
        self._patches, self._on_shadow = patches, on_shadow
        self._places: dict[int, Place | None] = {}
        self._shadows: dict[int, Shadow | None] = {}
        self._waiting = AfterImport(_HOME, self._found)

    def open(self) -> None:
        """Start to wait."""
        self._waiting.install()

    def close(self) -> None:
        """Wait no more."""
        self._waiting.remove()

    def _found(self) -> None:
        base = sys.modules[_HOME].BaseOptimizer
        self._patches.wrap(base, "__init__", self._maker)
        self._patches.wrap(base, "apply", self._applier)

    def _maker(self, original: Function) -> Function:
        def __init__(optimizer: Any, *args: Any, **kwargs: Any) -> None:
            original(optimizer, *args, **kwargs)
            self._places[id(optimizer)] = caller(constructed=optimizer)

        return __init__

    def _applier(self, original: Function) -> Function:
        def apply(optimizer: Any, grads: Any, trainable_variables: Any = None) -> Any:
            if id(optimizer) not in self._shadows:
                self._shadows[id(optimizer)] = self._shadow(optimizer, trainable_variables)
            shadow = self._shadows[id(optimizer)]
            if shadow is None:
                return original(optimizer, grads, trainable_variables)
            shadow.param_groups[0]["lr"] = _rate(optimizer)
            shadow.work = lambda: original(optimizer, grads, trainable_variables)
            return shadow.step()

        return apply

    def _shadow(self, optimizer: Any, variables: Any) -> Shadow | None:
        values = [getattr(one, "value", None) for one in variables or ()]
        tensors = [one for one in values if isinstance(one, torch.nn.Parameter)]
        if not tensors:
            return None
        kind = type(type(optimizer).__name__, (Shadow,), {})
        shadow: Shadow = kind(tensors, _rate(optimizer))
        self._on_shadow(shadow, self._places.get(id(optimizer)))
        return shadow


def _rate(optimizer: Any) -> float:
    return float(optimizer.learning_rate)
