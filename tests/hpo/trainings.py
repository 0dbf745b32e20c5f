"""Tiny trainings for studies in tests."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import torch
from torch import Tensor, nn
from torch.optim import SGD, Optimizer

Spoil = Callable[[int, Tensor], Tensor]


def patient(rate: float = 0.1, seed: int = 0) -> tuple[nn.Module, Optimizer]:
    torch.manual_seed(seed)
    model = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 1))
    return model, SGD(model.parameters(), lr=rate)


def batch(seed: int) -> tuple[Tensor, Tensor]:
    generator = torch.Generator().manual_seed(seed)
    x = torch.randn(32, 4, generator=generator)
    return x, x[:, :1] - 0.5 * x[:, 1:2] + 0.1 * torch.randn(32, 1, generator=generator)


def nothing(step: int, loss: Tensor) -> Tensor:
    return loss


def nan_from(first: int) -> Spoil:
    return lambda step, loss: loss * float("nan") if step >= first else loss


def train(
    model: nn.Module, optimizer: Optimizer, epochs: int, steps: int = 10, spoil: Spoil = nothing
) -> Iterator[dict[str, float]]:
    """Give the numbers of each epoch."""
    for epoch in range(epochs):
        total = 0.0
        for place in range(steps):
            step = epoch * steps + place
            x, y = batch(step)
            optimizer.zero_grad()
            loss = spoil(step, nn.functional.mse_loss(model(x), y))
            loss.backward()
            optimizer.step()
            total += float(loss.detach())
        x, y = batch(999)
        with torch.no_grad():
            validation = float(nn.functional.mse_loss(model(x), y))
        yield {"train_loss": total / steps, "val_loss": validation}
