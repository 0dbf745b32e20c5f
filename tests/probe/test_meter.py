"""Gradients and weights of all layers, against one tensor at a time in float64."""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np
import pytest
import torch
from torch import Tensor, nn

from paramedic.probe.layers import Layers
from paramedic.probe.meter import Meter, any_nonfinite, unscale
from paramedic.probe.schedule import FULL, VITALS
from paramedic.vocabulary import GRADIENTS, LAYER_STATISTICS, WEIGHTS
from paramedic.vocabulary import VITALS as VITAL_STATISTICS

NAN, INF = float("nan"), float("inf")


def _model() -> nn.Sequential:
    torch.manual_seed(0)
    return nn.Sequential(nn.Linear(5, 7), nn.ReLU(), nn.Linear(7, 3))


def _trained(scale: float = 1.0) -> tuple[nn.Sequential, Meter]:
    """A model with gradients, and its meter."""
    model = _model()
    (model(torch.randn(9, 5)).pow(2).mean() * scale).backward()
    return model, Meter(Layers({"": model}, []))


def _flat(tensors: Iterable[Tensor]) -> np.ndarray:
    return torch.cat([tensor.detach().reshape(-1).double() for tensor in tensors]).numpy()


def _grads(module: nn.Module) -> np.ndarray:
    return _flat(p.grad for p in module.parameters() if p.grad is not None)


@pytest.mark.parametrize("level", [VITALS, FULL])
def test_norms(way: str, level: str) -> None:
    model, meter = _trained()
    found = meter.gradients(level)
    assert found.finite
    assert found.total == pytest.approx(np.linalg.norm(_grads(model)), rel=1e-6)
    norms = found.columns["grad_norm"]
    assert norms[[0, 2]] == pytest.approx(
        [np.linalg.norm(_grads(model[place])) for place in (0, 2)], rel=1e-6
    )
    assert np.isnan(norms[1])
    assert found.columns["grad_nonfinite"].tolist() == pytest.approx([0, NAN, 0], nan_ok=True)


def test_which_columns_there_are(way: str) -> None:
    _, meter = _trained()
    assert set(meter.gradients(VITALS).columns) == set(VITAL_STATISTICS)
    full = meter.gradients(FULL).columns
    assert set(full) == set(VITAL_STATISTICS) | set(GRADIENTS)
    weights = meter.weights()
    assert set(weights) == set(WEIGHTS) - {"update_ratio"}
    for column in [*full.values(), *weights.values()]:
        assert column.shape == (3,)
        assert column.dtype == np.float32
        assert np.isnan(column[1])


def test_statistics_of_gradients(way: str) -> None:
    model, meter = _trained()
    columns = meter.gradients(FULL).columns
    for row in (0, 2):
        grads = _grads(model[row])
        assert columns["grad_mean"][row] == pytest.approx(grads.mean(), rel=1e-4)
        assert columns["grad_var"][row] == pytest.approx(grads.var(), rel=1e-4)
        assert columns["grad_mean_abs"][row] == pytest.approx(np.abs(grads).mean(), rel=1e-5)
        assert columns["grad_max_abs"][row] == pytest.approx(np.abs(grads).max(), rel=1e-6)
        assert columns["grad_min"][row] == pytest.approx(grads.min(), rel=1e-6)
        assert columns["grad_zero"][row] == pytest.approx((grads == 0).mean())


def test_statistics_of_weights(way: str) -> None:
    model, meter = _trained()
    columns = meter.weights()
    for row in (0, 2):
        weights = _flat(model[row].parameters())
        assert columns["weight_norm"][row] == pytest.approx(np.linalg.norm(weights), rel=1e-6)
        assert columns["weight_mean"][row] == pytest.approx(weights.mean(), rel=1e-4)
        assert columns["weight_max"][row] == pytest.approx(weights.max(), rel=1e-6)
        assert columns["weight_nonfinite"][row] == 0.0


@pytest.mark.parametrize("level", [VITALS, FULL])
@pytest.mark.parametrize("bad", [NAN, INF, -INF])
def test_one_gradient_that_is_not_finite(way: str, level: str, bad: float) -> None:
    model, meter = _trained()
    model[2].weight.grad[1, 1] = bad
    found = meter.gradients(level)
    assert not found.finite
    assert found.total == INF
    assert found.columns["grad_norm"][2] == INF
    assert found.columns["grad_norm"][0] == pytest.approx(np.linalg.norm(_grads(model[0])))
    assert found.columns["grad_nonfinite"][[0, 2]].tolist() == [0.0, 1.0]


def test_one_weight_that_is_not_finite(way: str) -> None:
    model, meter = _trained()
    with torch.no_grad():
        model[0].bias[2] = NAN
    columns = meter.weights()
    assert columns["weight_nonfinite"][[0, 2]].tolist() == [1.0, 0.0]
    assert columns["weight_norm"][0] == INF
    assert math.isfinite(columns["weight_norm"][2])


@pytest.mark.parametrize("scale", [1e-12, 1e12, 1e20])
@pytest.mark.parametrize("level", [VITALS, FULL])
def test_gradients_of_any_size(way: str, scale: float, level: str) -> None:
    model, meter = _trained(scale)
    found = meter.gradients(level)
    assert found.finite
    assert found.total == pytest.approx(np.linalg.norm(_grads(model)), rel=1e-5)


@pytest.mark.parametrize("level", [VITALS, FULL])
def test_parameters_without_a_gradient(way: str, level: str) -> None:
    model, meter = _trained()
    model[0].weight.grad = model[0].bias.grad = model[2].bias.grad = None
    found = meter.gradients(level)
    expected = np.linalg.norm(_grads(model[2]))
    assert found.total == pytest.approx(expected, rel=1e-6)
    assert found.columns["grad_norm"] == pytest.approx([NAN, NAN, expected], nan_ok=True, rel=1e-6)


@pytest.mark.parametrize("level", [VITALS, FULL])
def test_no_gradient_at_all(way: str, level: str) -> None:
    found = Meter(Layers({"": _model()}, [])).gradients(level)
    assert found.columns == {}
    assert math.isnan(found.total)
    assert found.finite


@pytest.mark.parametrize("level", [VITALS, FULL])
def test_mixed_kinds_of_gradient(way: str, level: str) -> None:
    torch.manual_seed(0)
    model = nn.ModuleList(
        [nn.Embedding(30, 4, sparse=True), nn.Linear(4, 2).double(), nn.Linear(4, 2).bfloat16()]
    )
    hidden = model[0](torch.tensor([1, 1, 7])).sum(dim=0)
    (model[1](hidden.double()).sum() + model[2](hidden.bfloat16()).sum().double()).backward()
    found = Meter(Layers({"": model}, [])).gradients(level)
    dense = [
        _flat([p.grad.to_dense() if p.grad.is_sparse else p.grad for p in one.parameters()])
        for one in model
    ]
    assert found.columns["grad_norm"] == pytest.approx(
        [np.linalg.norm(one) for one in dense], rel=1e-5
    )
    if level == FULL:
        assert found.columns["grad_zero"][0] == pytest.approx((dense[0] == 0).mean())
        assert found.columns["grad_mean"] == pytest.approx(
            [one.mean() for one in dense], rel=1e-4, abs=1e-7
        )


def test_updates_are_measured_from_the_weights_that_were_read(way: str) -> None:
    model, meter = _trained()
    assert meter.updates() == {}
    meter.weights()
    before = _flat(model[2].parameters())
    with torch.no_grad():
        model[2].weight.add_(0.25)
    true = np.linalg.norm(_flat(model[2].parameters()) - before) / np.linalg.norm(before)
    found = meter.updates()["update_ratio"]
    assert found[2] == pytest.approx(true, rel=1e-5)
    assert found[0] == 0.0


def test_layers_that_change(way: str) -> None:
    model = _model()
    layers = Layers({"": model}, [])
    meter = Meter(layers)
    model.append(nn.Linear(3, 2))
    assert layers.refresh()
    meter.reset()
    model(torch.ones(2, 5)).sum().backward()
    found = meter.gradients(FULL)
    assert found.columns["grad_norm"].shape == (4,)
    assert found.columns["grad_norm"][3] == pytest.approx(np.linalg.norm(_grads(model[3])))


def test_nothing_is_written_to(way: str) -> None:
    model, meter = _trained()
    versions = [(p._version, p.grad._version) for p in model.parameters()]
    grads = [p.grad for p in model.parameters()]
    meter.gradients(FULL)
    meter.weights()
    meter.updates()
    assert [(p._version, p.grad._version) for p in model.parameters()] == versions
    assert all(p.grad is grad for p, grad in zip(model.parameters(), grads, strict=True))


# -- scales ----------------------------------------------------------------------------------


def test_a_scale_of_one_changes_nothing() -> None:
    columns = {"grad_norm": np.ones(2, np.float32)}
    assert unscale(columns, 1.0) is columns


def test_unscaling_gives_what_no_scale_would_have(way: str) -> None:
    _, plain = _trained()
    _, scaled = _trained(2.0**14)
    found, expected = (
        unscale(scaled.gradients(FULL).columns, 2.0**14),
        plain.gradients(FULL).columns,
    )
    for name, column in expected.items():
        assert found[name] == pytest.approx(column, rel=1e-4, abs=1e-6, nan_ok=True), name
        assert found[name].dtype == np.float32


def test_each_statistic_by_its_degree() -> None:
    columns = {name: np.full(1, 8.0, np.float32) for name in ("grad_mean", "grad_var", "grad_skew")}
    found = unscale(columns, 2.0)
    assert [found[name][0] for name in columns] == [4.0, 2.0, 8.0]
    assert [LAYER_STATISTICS[name].degree for name in columns] == [1, 2, 0]
    assert columns["grad_mean"][0] == 8.0


def test_unscaling_infinities_does_not_warn() -> None:
    columns = {"grad_norm": np.array([INF, NAN, 1e-38], np.float32)}
    assert unscale(columns, 65536.0)["grad_norm"][0] == INF


# -- finiteness ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("tensor", "expected"),
    [
        (torch.ones(4), False),
        (torch.tensor([1.0, NAN]), True),
        (torch.tensor([INF, -INF]), True),
        (torch.full((10,), 3e38), False),  # the sum overflows, no value does
        (torch.full((2000,), 100.0).half(), False),
        (torch.tensor([1.0, INF]).bfloat16(), True),
        (torch.tensor([complex(1, NAN)]), True),
        (torch.eye(3).to_sparse(), False),
        (torch.empty(0), False),
    ],
)
def test_any_nonfinite(tensor: Tensor, expected: bool) -> None:
    assert any_nonfinite(tensor) is expected
