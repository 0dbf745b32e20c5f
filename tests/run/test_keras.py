"""The shadow, with something in the place of Keras; `libraries/` has the real one."""

from __future__ import annotations

import sys
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest
import torch
from torch import nn
from torch.optim import Optimizer

from paramedic.run.keras import Keras
from paramedic.run.patching import Patches
from paramedic.run.places import Place


class Adam:
    """As Keras has it: it moves the values of variables by gradients that it is given."""

    def __init__(self) -> None:
        self.learning_rate = 0.5

    def build(self, variables: Any) -> None: ...

    def apply(self, grads: Any, trainable_variables: Any = None) -> str:
        with torch.no_grad():
            for one, grad in zip(trainable_variables, grads, strict=True):
                one._value -= self.learning_rate * grad
        return "done"


def test_steps_are_seen_and_do_what_they_did(monkeypatch: pytest.MonkeyPatch) -> None:
    home = ModuleType("keras.src.optimizers.base_optimizer")
    home.BaseOptimizer = Adam  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, home.__name__, home)
    found: list[tuple[Optimizer, Place | None]] = []
    patches = Patches()
    keras = Keras(patches, lambda *told: found.append(told))
    keras.open()
    try:
        optimizer = Adam()
        variable = SimpleNamespace(_value=nn.Parameter(torch.ones(2)))
        optimizer.learning_rate = 0.25
        assert optimizer.apply([torch.ones(2)], [variable]) == "done"
        assert variable._value.tolist() == [0.75, 0.75]
        ((shadow, place),) = found
        assert type(shadow).__name__ == "Adam"
        assert shadow.param_groups[0]["lr"] == 0.25
        assert shadow.param_groups[0]["params"][0] is variable._value
        assert place is not None
        assert place.function.startswith("test_steps_are_seen")
        seen: list[int] = []
        shadow.register_step_post_hook(lambda *_: seen.append(1))
        optimizer.apply([torch.ones(2)], [variable])
        assert seen == [1]
        assert len(found) == 1
    finally:
        keras.close()
        patches.remove()
    assert "keras" not in Adam.apply.__qualname__


def test_known_as_soon_as_it_is_built(monkeypatch: pytest.MonkeyPatch) -> None:
    """So its first forward pass is seen; and each optimizer has a shadow of its own."""
    home = ModuleType("keras.src.optimizers.base_optimizer")
    home.BaseOptimizer = Adam  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, home.__name__, home)
    found: list[Optimizer] = []
    patches = Patches()
    keras = Keras(patches, lambda shadow, place: found.append(shadow))
    keras.open()
    try:
        for count in range(1, 4):
            variable = SimpleNamespace(_value=nn.Parameter(torch.ones(2)))
            optimizer = Adam()
            optimizer.build([variable])
            assert len(found) == count
            optimizer.apply([torch.ones(2)], [variable])
            assert len(found) == count
            assert found[-1].param_groups[0]["params"][0] is variable._value
            del optimizer  # the next one may be at the same place in memory
    finally:
        keras.close()
        patches.remove()
