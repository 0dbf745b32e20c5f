"""What Keras 3 on torch looks like from outside, for tests without it."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest
import torch
from torch import Tensor, nn


class Layer(nn.Module):
    """Keeps its variables, and those of the layers inside it, in one dictionary."""

    def __init__(self, name: str, *layers: Layer) -> None:
        super().__init__()
        self.name = name
        self.__dict__["_layers"] = list(layers)
        self._trainable_variables: list[Any] = []
        self._non_trainable_variables: list[Any] = []

    def variable(self, value: Tensor, *, trainable: bool = True) -> Tensor:
        parameter = nn.Parameter(value, requires_grad=trainable and value.is_floating_point())
        kept = self._trainable_variables if trainable else self._non_trainable_variables
        kept.append(SimpleNamespace(_value=parameter))
        return parameter

    def track(self) -> None:
        """As Keras does when a layer is built."""
        values: dict[str, nn.Parameter] = {}
        for layer in (self, *self.__dict__["_layers"]):
            several = layer._trainable_variables + layer._non_trainable_variables
            values |= {f"{layer.name}/{at}": one._value for at, one in enumerate(several)}
        self._torch_params = nn.ParameterDict(values)


class Dense(Layer):
    def __init__(self, name: str, inputs: int, outputs: int) -> None:
        super().__init__(name)
        self.kernel = [self.variable(torch.randn(inputs, outputs) / inputs**0.5)]
        self.bias = [self.variable(torch.zeros(outputs))]
        self.track()

    def forward(self, x: Tensor, training: bool | None = None) -> Tensor:
        return torch.relu(x @ self.kernel[0] + self.bias[0])


class Dropout(Layer):
    rate = 0.25

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.variable(torch.zeros(2, dtype=torch.int32), trainable=False)  # its seed
        self.track()

    def forward(self, x: Tensor, training: bool | None = None) -> Tensor:
        return x


class Sequential(Layer):
    def __init__(self, *layers: Layer) -> None:
        super().__init__("sequential", *layers)
        self.track()

    def forward(self, x: Tensor, training: bool | None = None) -> Tensor:
        for layer in self.__dict__["_layers"]:
            x = layer(x, training=training)
        return x


for kind in (Dense, Dropout, Sequential):
    kind.__module__ = "keras.src.layers"


def net() -> Sequential:
    torch.manual_seed(0)
    return Sequential(Dense("dense", 8, 4), Dropout("dropout"), Dense("dense_1", 4, 3))


def pretend(monkeypatch: pytest.MonkeyPatch, home: str, **contents: Any) -> ModuleType:
    """As if this module of Keras had been imported."""
    module = ModuleType(home)
    vars(module).update(contents)
    monkeypatch.setitem(sys.modules, home, module)
    return module


def pretend_layers(monkeypatch: pytest.MonkeyPatch) -> Callable[[], Sequential]:
    """Keras has been imported; gives what makes a model of it."""
    pretend(monkeypatch, "keras.src.layers.layer", Layer=Layer)
    return net
