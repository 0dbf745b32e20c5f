"""Optimizers of Keras 3 on torch: they move torch's parameters but are none of torch's own.

Each gets a shadow that is: an optimizer of torch with the same parameters, name and rate, whose
step is the step of Keras. So hooks and monitors see what they would see anywhere else.
"""

from __future__ import annotations

import sys
import weakref
from collections.abc import Callable
from typing import Any

import torch
from torch.optim import Optimizer

from paramedic.run.imports import AfterImport
from paramedic.run.patching import Function, Patches
from paramedic.run.places import Place, caller
from paramedic.run.shadow import Shadow, shadow

_HOME = "keras.src.optimizers.base_optimizer"
OnShadow = Callable[[Optimizer, Place | None], None]


class Keras:
    """Waits for Keras; `on_shadow` is called with the shadow of each optimizer, when its
    variables are known."""

    def __init__(self, patches: Patches, on_shadow: OnShadow) -> None:
        self._patches, self._on_shadow = patches, on_shadow
        self._places: dict[int, Place | None] = {}
        self._shadows: dict[int, tuple[weakref.ref[Any], Shadow]] = {}
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
        self._patches.wrap(base, "build", self._builder)
        self._patches.wrap(base, "apply", self._applier)

    def _maker(self, original: Function) -> Function:
        def __init__(optimizer: Any, *args: Any, **kwargs: Any) -> None:
            original(optimizer, *args, **kwargs)
            self._places[id(optimizer)] = caller(constructed=optimizer)

        return __init__

    def _builder(self, original: Function) -> Function:
        """Here the variables are known: a training is seen from its first forward pass on."""

        def build(optimizer: Any, variables: Any) -> Any:
            result = original(optimizer, variables)
            self._follower(optimizer, variables)
            return result

        return build

    def _applier(self, original: Function) -> Function:
        def apply(optimizer: Any, grads: Any, trainable_variables: Any = None) -> Any:
            follower = self._follower(optimizer, trainable_variables)
            if follower is None:
                return original(optimizer, grads, trainable_variables)
            follower.param_groups[0]["lr"] = _rate(optimizer)
            follower.work = lambda: original(optimizer, grads, trainable_variables)
            return follower.step()

        return apply

    def _follower(self, optimizer: Any, variables: Any) -> Shadow | None:
        known = self._shadows.get(id(optimizer))
        if known is None or known[0]() is not optimizer:  # another one may have been there before
            made = self._shadow(optimizer, variables)
            if made is None:
                return None
            known = self._shadows[id(optimizer)] = (weakref.ref(optimizer), made)
        return known[1]

    def _shadow(self, optimizer: Any, variables: Any) -> Shadow | None:
        values = [getattr(one, "_value", None) for one in variables or ()]
        tensors = [one for one in values if isinstance(one, torch.nn.Parameter)]
        if not tensors:
            return None
        made = shadow(type(optimizer).__name__, tensors, _rate(optimizer), "keras")
        self._on_shadow(made, self._places.get(id(optimizer)))
        return made


def _rate(optimizer: Any) -> float:
    return float(optimizer.learning_rate)
