"""BTTackler's three tasks at a size for two cores: what is tuned, trained and measured."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional
from torch.optim import Optimizer

from benchmarks.hpo_parts import data, models
from benchmarks.hpo_parts.models import ACTIVATIONS, OPTIMIZERS, Params
from benchmarks.hpo_parts.space import Between, OneOf, Space

EPOCHS = 20
AT_ONCE = 1000  # validated; what fits into the caches of a core is thrice as fast
Told = dict[str, float]


@dataclass(frozen=True)
class Task:
    """A model with its data and the hyperparameters to tune; `metric` is what counts."""

    name: str
    title: str
    metric: str
    direction: str
    space: Space
    model: Callable[[Params], nn.Module]
    load: Callable[[], data.Split]

    @property
    def classifies(self) -> bool:
        return self.metric == "val_acc"

    def prepare(self, params: Params, seed: int) -> tuple[nn.Module, Optimizer]:
        """Model and optimizer, the same for the same seed."""
        torch.manual_seed(seed)
        model = self.model(params)
        return model, models.optimizer(model.parameters(), params)

    def loss(self, outputs: Tensor, targets: Tensor) -> Tensor:
        if self.classifies:
            return functional.cross_entropy(outputs, targets)
        return functional.mse_loss(outputs, targets)

    def train(
        self, model: nn.Module, optimizer: Optimizer, params: Params, epochs: int = EPOCHS
    ) -> Iterator[Told]:
        """Train; gives the numbers of each epoch."""
        split = self.load()
        for _ in range(epochs):
            model.train()
            order = torch.randperm(len(split.x))
            losses = []
            for batch in order.split(params["batch_size"]):
                optimizer.zero_grad()
                loss = self.loss(model(split.x[batch]), split.y[batch])
                loss.backward()
                optimizer.step()
                losses.append(loss.detach() * len(batch))
            train_loss = float(torch.stack(losses).sum() / len(order))
            yield {"train_loss": train_loss, **self.validate(model, split)}

    @torch.no_grad()
    def validate(self, model: nn.Module, split: data.Split) -> Told:
        model.eval()
        outputs = torch.cat([model(some) for some in split.x_validation.split(AT_ONCE)])
        told = {"val_loss": float(self.loss(outputs, split.y_validation))}
        if self.classifies:
            right = (outputs.argmax(1) == split.y_validation).float().mean()
            told["val_acc"] = float(right)
        return told


def _shared(**more: Any) -> Space:
    return {
        **more,
        "rate": Between(1e-4, 0.4, log=True),
        "weight_decay": Between(1e-5, 1e-3, log=True),
        "optimizer": OneOf(OPTIMIZERS),
        "dropout": Between(0.0, 0.9),
    }


_CNN = _shared(
    kernels_1=Between(4, 10, whole=True),
    kernels_2=Between(4, 10, whole=True),
    kernels_3=Between(4, 16, whole=True),
    kernels_4=Between(4, 16, whole=True),
    kernel_size=Between(2, 4, whole=True),
    width=Between(16, 96, whole=True),
    activation=OneOf(tuple(ACTIVATIONS)),
    batch_size=Between(16, 160, whole=True),
    batch_norm=OneOf((True, False)),
)
_LSTM = _shared(
    hidden=Between(12, 40, whole=True),
    layers=Between(1, 2, whole=True),
    width=Between(16, 96, whole=True),
    batch_size=Between(16, 160, whole=True),
)
_TRANSFORMER = _shared(
    layers=Between(1, 2, whole=True),
    heads=Between(1, 4, whole=True),
    feed_forward=Between(16, 96, whole=True),
    batch_size=Between(12, 64, whole=True),
)
TASKS = {
    task.name: task
    for task in (
        Task("cnn", "Cifar10CNN", "val_acc", "maximize", _CNN, models.cnn, data.images),
        Task("lstm", "Cifar10LSTM", "val_acc", "maximize", _LSTM, models.Rows, data.rows),
        Task(
            "transformer", "Ex96Trans", "val_loss", "minimize", _TRANSFORMER, models.Forecaster,
            data.rates,
        ),
    )
}  # fmt: skip
