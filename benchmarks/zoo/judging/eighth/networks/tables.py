"""Networks for tables: stages that correct, several heads, a committee, layers that keep scale."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from ....models import Layer, mlp


class Staged(nn.Module):
    """Each stage sees the input and the answer so far, and corrects it.

    With `every` the answers after all stages are given, [N, stages, outputs].
    """

    def __init__(
        self,
        inputs: int,
        outputs: int,
        *,
        stages: int = 3,
        width: int = 24,
        every: bool = False,
    ) -> None:
        super().__init__()
        self.stages = nn.ModuleList(
            mlp(inputs + outputs, outputs, hidden=width) for _ in range(stages)
        )
        self.outputs = outputs
        self.every = every

    def forward(self, x: Tensor) -> Tensor:
        answer = x.new_zeros(len(x), self.outputs)
        answers = []
        for stage in self.stages:
            answer = answer + stage(torch.cat([x, answer], 1))
            answers.append(answer)
        return torch.stack(answers, 1) if self.every else answer


class Heads(nn.Module):
    """A common trunk and a small head for each question; the answers stand beside one another."""

    def __init__(
        self,
        inputs: int,
        answers: tuple[int, ...],
        *,
        width: int = 48,
        norm: bool = False,
        dropout: float = 0.0,
    ) -> None:
        super().__init__()
        self.trunk = nn.Sequential(
            nn.Linear(inputs, width),
            nn.BatchNorm1d(width) if norm else nn.Identity(),
            nn.ReLU(),
            nn.Dropout(dropout),
            nn.Linear(width, width),
            nn.ReLU(),
        )
        self.heads = nn.ModuleList(mlp(width, wanted, hidden=16, depth=1) for wanted in answers)

    def forward(self, x: Tensor) -> Tensor:
        seen = self.trunk(x)
        return torch.cat([head(seen) for head in self.heads], 1)


class Committee(nn.Module):
    """Small networks of different widths; the mean of what they say."""

    def __init__(
        self,
        inputs: int,
        outputs: int,
        *,
        widths: tuple[int, ...] = (16, 24, 32),
        activation: Layer = nn.ReLU,
        dropout: float = 0.0,
    ) -> None:
        super().__init__()
        self.members = nn.ModuleList(
            mlp(inputs, outputs, hidden=width, activation=activation, dropout=dropout)
            for width in widths
        )

    def forward(self, x: Tensor) -> Tensor:
        return torch.stack([member(x) for member in self.members]).mean(0)


def keeping_scale(
    inputs: int, outputs: int, *, width: int = 32, depth: int = 5, dropout: float = 0.0
) -> nn.Sequential:
    """A deep net without normalisation whose SELUs keep the scale by themselves."""
    net = mlp(inputs, outputs, hidden=width, depth=depth, activation=nn.SELU)
    layers: list[nn.Module] = []
    for layer in net:
        if isinstance(layer, nn.Linear):
            nn.init.kaiming_normal_(layer.weight, nonlinearity="linear")
            nn.init.zeros_(layer.bias)
        layers.append(layer)
        if dropout and isinstance(layer, nn.SELU):
            layers.append(nn.AlphaDropout(dropout))
    return nn.Sequential(*layers)
