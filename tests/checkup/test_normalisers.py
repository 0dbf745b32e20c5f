from __future__ import annotations

import torch
from torch import Tensor, nn

from paramedic.checkup.normalisers import Normaliser, normalisers_of

from .broken import LayerNorm, VarianceNorm
from .case import normal


def found(module: nn.Module, x: Tensor) -> list[Normaliser]:
    model = nn.Sequential(module)
    with normalisers_of(model) as normalisers:
        model(x)
    return normalisers


class RightLayerNorm(LayerNorm):
    def forward(self, x: Tensor) -> Tensor:
        centred = x - x.mean(-1, keepdim=True)
        return self.weight * centred / (centred.pow(2).mean(-1, keepdim=True) + 1e-6).sqrt()


def test_those_of_torch() -> None:
    for module in (nn.LayerNorm(8), nn.RMSNorm(8), nn.BatchNorm1d(6)):
        (one,) = found(module, normal(4, 6, 8))
        assert one.normalises
        assert one.built_in


def test_others_are_known_by_what_they_do() -> None:
    (one,) = found(RightLayerNorm(8), 3 * normal(4, 6, 8))
    assert one.normalises
    assert abs(one.degree) < 1e-3
    assert torch.allclose(one.sizes, torch.ones(24, dtype=torch.double), atol=1e-3)


def test_the_wrong_axis_gives_rows_of_many_sizes() -> None:
    (one,) = found(LayerNorm(8), normal(4, 6, 8))
    assert float(one.sizes.std()) > 0.1


def test_dividing_by_the_variance() -> None:
    (one,) = found(VarianceNorm(8), normal(4, 6, 8))
    assert one.divides_twice
    assert not one.normalises


def test_scales_and_activations_are_none() -> None:
    class Scale(VarianceNorm):
        def forward(self, x: Tensor) -> Tensor:
            return x * self.weight

    assert found(Scale(8), normal(4, 6, 8)) == []
    assert found(nn.PReLU(6), normal(4, 6, 8)) == []
    assert found(nn.Tanh(), normal(4, 6, 8)) == []
