"""How far a step moves the weights, both ways."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest
import torch
from torch import Tensor, nn

from paramedic.probe import movement, native
from paramedic.probe.layers import Layers
from paramedic.probe.movement import Movement

pytestmark = pytest.mark.usefixtures("way")


def _layers(model: nn.Module) -> Layers:
    return Layers({"": model}, [])


def _ratios(model: nn.Module, move: Callable[[], None]) -> np.ndarray:
    layers = _layers(model)
    tracker = Movement(layers)
    tracker.begin(native.vectors_of(layers.parameters))
    with torch.no_grad():
        move()
    found = tracker.end()
    assert list(found) == ["update_ratio"]
    assert found["update_ratio"].dtype == np.float32
    return found["update_ratio"]


def _flat(*tensors: Tensor) -> Tensor:
    return torch.cat([tensor.detach().reshape(-1).double() for tensor in tensors])


def _model(dtype: torch.dtype = torch.float32) -> nn.Sequential:
    torch.manual_seed(0)
    return nn.Sequential(nn.Linear(5, 7), nn.ReLU(), nn.Linear(7, 3)).to(dtype)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.bfloat16, torch.complex64])
def test_the_norm_of_the_move_over_the_norm_of_the_weights(dtype: torch.dtype) -> None:
    if dtype.is_complex:
        model: nn.Module = nn.ParameterList([torch.randn(6, dtype=dtype), torch.randn(4)])
        parts = [list(model.parameters())]
    else:
        model = _model(dtype)
        parts = [list(model[0].parameters()), list(model[2].parameters())]
    before = [[_real(p) for p in part] for part in parts]

    def move() -> None:
        for parameter in model.parameters():
            parameter.add_(0.1 * torch.randn_like(parameter))

    found = _ratios(model, move)
    found = found[np.isfinite(found)]
    for value, part, old in zip(found, parts, before, strict=True):
        now = [_real(p) for p in part]
        true = float((_flat(*now) - _flat(*old)).norm() / _flat(*old).norm())
        assert value == pytest.approx(true, rel=1e-5)


def _real(tensor: Tensor) -> Tensor:
    tensor = tensor.detach().clone()
    return torch.view_as_real(tensor) if tensor.is_complex() else tensor


def test_rows_without_parameters_are_not_measured() -> None:
    model = _model()
    found = _ratios(model, lambda: None)
    assert found[[0, 2]].tolist() == [0.0, 0.0]
    assert np.isnan(found[1])


def test_a_layer_that_stays_and_one_that_moves() -> None:
    model = _model()
    found = _ratios(model, lambda: model[2].weight.mul_(2.0))
    assert found[0] == 0.0
    own, bias = _flat(model[2].weight) / 2, _flat(model[2].bias)
    assert found[2] == pytest.approx(float(own.norm() / torch.cat([own, bias]).norm()), rel=1e-5)


def test_very_small_moves_are_seen() -> None:
    model = nn.Linear(4, 4, bias=False)
    with torch.no_grad():
        model.weight.fill_(1.0)
    found = _ratios(model, lambda: model.weight.add_(2.0**-20))
    assert found[0] == pytest.approx(2.0**-20, rel=1e-6)


def test_weights_of_zero_that_move_away() -> None:
    model = nn.Linear(4, 4)
    nn.init.zeros_(model.weight)
    nn.init.zeros_(model.bias)
    assert _ratios(model, lambda: model.weight.add_(1.0))[0] == math.inf
    assert _ratios(model, lambda: None)[0] == 0.0


def test_a_large_model_is_sampled_evenly(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(movement, "_KEPT", 1000)
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(100, 200), nn.Linear(200, 100))
    found = _ratios(model, lambda: model[1].weight.mul_(1.01))
    assert found[0] == 0.0
    assert found[1] == pytest.approx(0.01, rel=0.05)


def test_the_end_without_a_beginning() -> None:
    tracker = Movement(_layers(_model()))
    assert tracker.end() == {}


def test_a_beginning_counts_once() -> None:
    model = _model()
    layers = _layers(model)
    tracker = Movement(layers)
    tracker.begin(native.vectors_of(layers.parameters))
    assert tracker.end()["update_ratio"][0] == 0.0
    assert tracker.end() == {}


def test_the_newest_beginning_counts() -> None:
    model = _model()
    layers = _layers(model)
    tracker = Movement(layers)
    for _ in range(2):
        tracker.begin(native.vectors_of(layers.parameters))
        with torch.no_grad():
            model[0].weight.mul_(1.5)
            model[0].bias.mul_(1.5)
    assert tracker.end()["update_ratio"][0] == pytest.approx(0.5, rel=1e-5)


def test_the_weights_are_only_read() -> None:
    model = _model()
    versions = [p._version for p in model.parameters()]
    _ratios(model, lambda: None)
    assert [p._version for p in model.parameters()] == versions
