"""One model with everything that a check-up takes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import Tensor, nn

import paramedic
from paramedic.checkup import Entry, Report


@dataclass
class Case:
    """What `paramedic.checkup` is given."""

    model: nn.Module
    batch: Any
    loss_fn: Callable[..., Any] | None = None
    optimizer: torch.optim.Optimizer | None = None
    options: dict[str, Any] = field(default_factory=dict)

    def checkup(self, **options: Any) -> Report:
        return paramedic.checkup(
            self.model, self.batch, self.loss_fn, self.optimizer, **{**self.options, **options}
        )

    def entry(self, check: str, **options: Any) -> Entry:
        """What one check says."""
        return self.checkup(select=[check], **options).entry(check)


def adam(model: nn.Module) -> torch.optim.Optimizer:
    return torch.optim.Adam(model.parameters(), lr=1e-3)


def normal(*shape: int, seed: int = 5) -> Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed))


def labels(count: int, classes: int, seed: int = 6) -> Tensor:
    return torch.randint(0, classes, (count,), generator=torch.Generator().manual_seed(seed))
