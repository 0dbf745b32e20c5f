from __future__ import annotations

import pytest
import torch
from torch import nn

from paramedic.treat.surgery import Refusal, reinitialise
from tests.treat.surgery.architectures import (
    ARCHITECTURES,
    Recurrent,
    TiedLanguageModel,
    frozen_backbone,
    mlp,
)


def _bound(weight: torch.Tensor) -> float:
    return float(weight.detach().abs().max())


def test_the_scheme_follows_from_the_activation() -> None:
    model = nn.Sequential(
        nn.Linear(600, 300), nn.ReLU(), nn.Linear(300, 300), nn.Tanh(), nn.Linear(300, 300),
        nn.SELU(), nn.Linear(300, 300),
    )  # fmt: skip
    operation = reinitialise(model, torch.randn(2, 600))
    he, xavier_tanh, lecun, xavier = (operation.model[place].weight for place in (0, 2, 4, 6))
    assert _bound(he) == pytest.approx((6 / 600) ** 0.5, rel=0.01)
    assert _bound(xavier_tanh) == pytest.approx(5 / 3 * (6 / 600) ** 0.5, rel=0.01)
    assert float(lecun.detach().std()) == pytest.approx((1 / 300) ** 0.5, rel=0.02)
    assert _bound(xavier) == pytest.approx((6 / 600) ** 0.5, rel=0.01)
    assert "(He and Xavier and LeCun)" in operation.description


def test_the_same_seed_gives_the_same_weights_and_another_does_not() -> None:
    x = torch.randn(2, 8)
    first, same, other = (reinitialise(mlp(), x, seed=seed).model for seed in (1, 1, 2))
    assert torch.equal(first[0].weight, same[0].weight)
    assert not torch.equal(first[0].weight, other[0].weight)


def test_recurrent_weights_are_orthogonal_gate_by_gate() -> None:
    after = reinitialise(Recurrent(nn.LSTM), torch.randn(2, 3, 5)).model.body
    for gate in after.weight_hh_l0.detach().split(6):
        assert torch.allclose(gate @ gate.T, torch.eye(6), atol=1e-5)
    assert torch.equal(after.bias_ih_l0[6:12], torch.ones(6))
    assert _bound(after.bias_hh_l0) == 0


def test_named_layers_only() -> None:
    before = mlp()
    operation = reinitialise(before, torch.randn(2, 8), layers=["2"], scheme="orthogonal")
    assert operation.layers == ("2",)
    assert torch.equal(operation.model[0].weight, before[0].weight)
    weight = operation.model[2].weight.detach()
    assert torch.allclose(weight @ weight.T, 2 * torch.eye(16), atol=1e-5)
    with pytest.raises(Refusal, match="no layer `9`"):
        reinitialise(before, torch.randn(2, 8), layers=["9"])


def test_frozen_weights_stay() -> None:
    before = frozen_backbone()
    operation = reinitialise(before, torch.randn(2, 8))
    assert operation.layers == ("2", "4")
    assert torch.equal(operation.model[0].weight, before[0].weight)
    before.requires_grad_(False)
    with pytest.raises(Refusal, match="frozen"):
        reinitialise(before, torch.randn(2, 8))


def test_tied_weights_are_drawn_once_and_suit_the_layer() -> None:
    after = reinitialise(TiedLanguageModel(), torch.randint(0, 11, (2, 3))).model
    assert after.head.weight is after.embedding.weight
    assert _bound(after.head.weight) <= (6 / 19) ** 0.5


def test_computed_weights_are_left_alone() -> None:
    normed = ARCHITECTURES["weight-normed"]
    assert reinitialise(normed.model(), normed.batch()).layers == ("2",)


def test_names_of_schemes() -> None:
    x = torch.randn(2, 8)
    assert "(Xavier)" in reinitialise(mlp(), x, scheme="Glorot's").description
    assert "(He)" in reinitialise(mlp(), x, scheme="kaiming").description
    with pytest.raises(ValueError, match="but got `uniform`"):
        reinitialise(mlp(), x, scheme="uniform")
