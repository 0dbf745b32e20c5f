"""How a run goes, as data: a sick plan is a sound plan with something replaced."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import torch
from torch import Tensor, nn
from torch.optim import Optimizer

from .data.source import Change, Source, Split
from .optimizers import Schedule

Batch = tuple[Tensor, Tensor]
Loss = Callable[[Any, Tensor], Tensor]
Order = Callable[[Tensor, torch.Generator], Tensor]


def shuffled(targets: Tensor, generator: torch.Generator) -> Tensor:
    """The samples in a new random order, as a DataLoader with `shuffle=True` gives them."""
    return torch.randperm(len(targets), generator=generator)


@dataclass(frozen=True)
class Plan:
    """Everything a training script decides.

    `report` says what is handed to the monitor after an epoch: `accuracy` (and losses), `loss`
    or `nothing`. `mode` is `train`, `eval` (never in training mode) or `forgotten` (not set back
    after the first validation). `zero_grad` is `step`, `epoch` or `never`. `tamper` changes the
    batch of a step, `prepare` the fresh model; `loop` is the training loop, in which a batch may
    be good for several steps.
    """

    architecture: str
    source: Source
    model: Callable[[], nn.Module]
    loss: Loss
    optimizer: Callable[[nn.Module], Optimizer | Sequence[Optimizer]]
    scoring: str
    batch: int = 32
    epochs: int = 12
    report: str = "accuracy"
    hand_in_loss: bool = False
    prepare: Callable[[nn.Module], None] | None = None
    scheduler: Schedule | None = None
    clip: float | None = None
    accumulate: int = 1
    autocast: torch.dtype | None = None
    mode: str = "train"
    zero_grad: str = "step"
    order: Order = shuffled
    tamper: Callable[[int, Batch], Batch] | None = None
    loop: Callable[[Any, Any], None] | None = None
    steps_per_batch: int = 1

    @property
    def steps(self) -> int:
        """How many optimizer steps are planned."""
        batches = self.epochs * (self.source.samples // self.batch)
        return batches * self.steps_per_batch // self.accumulate

    def but(self, **changes: Any) -> Plan:
        """The same plan, with something replaced."""
        return replace(self, **changes)

    def remodel(self, **knobs: Any) -> Callable[[], nn.Module]:
        """The same model with other knobs."""
        return partial(self.model, **knobs)

    def data(self, *changes: Change) -> Source:
        """The same data, changed."""
        return self.source.changed(*changes)

    def build(self, seed: int) -> Run:
        """Everything that is needed to train, the same at every call."""
        torch.manual_seed(seed)
        model = self.model()
        if self.prepare:
            self.prepare(model)
        made = self.optimizer(model)
        optimizers = [made] if isinstance(made, Optimizer) else list(made)
        generator = torch.Generator().manual_seed(seed)
        return Run(self, model, optimizers, self.source.draw(seed), generator)


@dataclass(frozen=True, slots=True)
class Run:
    """A plan come to life: a model, its optimizers, its data."""

    plan: Plan
    model: nn.Module
    optimizers: list[Optimizer]
    split: Split
    generator: torch.Generator
