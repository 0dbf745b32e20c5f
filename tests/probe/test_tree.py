from __future__ import annotations

import pytest
import torch
from torch import nn

from paramedic.probe.layers import Layers
from paramedic.probe.tree import is_keras, parts, weights_of
from tests.probe.keras_like import Dense, Sequential, pretend_layers


def test_modules_of_torch_as_they_say_themselves() -> None:
    shared = nn.Linear(2, 2)
    model = nn.Sequential(nn.Sequential(shared, nn.ReLU()), shared, nn.BatchNorm1d(2))
    found = list(parts(model))
    assert [(part.path, part.module) for part in found] == list(model.named_modules())
    assert [id(one) for one in weights_of(model)] == [id(one) for one in model.parameters()]
    assert not is_keras(model)


def test_layers_of_keras_by_their_names(monkeypatch: pytest.MonkeyPatch) -> None:
    model = pretend_layers(monkeypatch)()
    found = list(parts(model))
    assert [part.path for part in found] == ["", "dense", "dropout", "dense_1"]
    assert [[tuple(one.shape) for one in part.own] for part in found] == [
        [], [(8, 4), (4,)], [], [(4, 3), (3,)]
    ]  # fmt: skip
    assert len(list(weights_of(model))) == 4  # neither twice nor with the seed


def test_siblings_of_the_same_name(monkeypatch: pytest.MonkeyPatch) -> None:
    pretend_layers(monkeypatch)
    model = Sequential(Dense("dense", 2, 2), Dense("dense", 2, 2))
    assert [part.path for part in parts(model)] == ["", "dense", "dense_2"]


def test_keras_inside_torch_and_torch_inside_keras(monkeypatch: pytest.MonkeyPatch) -> None:
    pretend_layers(monkeypatch)
    layer = Dense("dense", 2, 2)
    layer.add_module("linear", nn.Linear(2, 2))
    found = {part.path: len(part.own) for part in parts(nn.Sequential(layer))}
    assert found == {"": 0, "0": 2, "0.linear": 2}


def test_the_chart_of_a_model_of_keras(monkeypatch: pytest.MonkeyPatch) -> None:
    model = pretend_layers(monkeypatch)()
    optimizer = torch.optim.SGD(weights_of(model), lr=0.1)
    layers = Layers({"": model}, [optimizer]).describe()
    assert [(one.name, one.kind, one.parameters, one.fan_in) for one in layers] == [
        ("dense", "Dense", 36, 8), ("dropout", "Dropout", 0, 0), ("dense_1", "Dense", 15, 4)
    ]  # fmt: skip
    assert layers[1].dropout == 0.25
    assert all(one.in_optimizer for one in layers if one.parameters)
