from __future__ import annotations

import torch
from torch import Tensor, nn

from paramedic.checkup.products import Products

from .case import normal


def found(model: nn.Module, x: Tensor) -> dict[str, tuple[int, bool]]:
    with Products(model) as products:
        model(x)
    return {name: (one.fan_in, one.depthwise) for name, one in products.found.items()}


def test_linear_layers() -> None:
    assert found(nn.Linear(5, 3), normal(2, 5)) == {"weight": (5, False)}
    assert found(nn.Linear(5, 3, bias=False), normal(2, 7, 5)) == {"weight": (5, False)}


def test_bare_parameters() -> None:
    class Bare(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.inner = nn.Parameter(normal(6, 4))

        def forward(self, x: Tensor) -> Tensor:
            return x @ self.inner

    assert found(Bare(), normal(2, 6)) == {"inner": (6, False)}


def test_convolutions() -> None:
    assert found(nn.Conv2d(3, 8, 5), normal(1, 3, 9, 9)) == {"weight": (75, False)}
    assert found(nn.Conv2d(4, 4, 3, groups=4), normal(1, 4, 9, 9)) == {"weight": (9, True)}
    # Each output of a transposed convolution of stride 2 adds up a quarter of its kernel.
    assert found(nn.ConvTranspose2d(6, 2, 4, 2), normal(1, 6, 5, 5)) == {"weight": (24, False)}


def test_the_operand_is_what_the_weights_meet() -> None:
    model = nn.Sequential(nn.BatchNorm1d(3), nn.Linear(3, 2))
    with Products(model) as products:
        model(100 + 50 * normal(64, 3))
    assert float(products.found["1.weight"].operand.std()) < 1.1


def test_products_of_two_activations_are_none() -> None:
    class Gram(nn.Module):
        def forward(self, x: Tensor) -> Tensor:
            return x @ x.t()

    assert found(Gram(), torch.ones(2, 2)) == {}
