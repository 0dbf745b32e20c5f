"""Regimes that the common loop does not know: averages, resumption, curricula, sharpness."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor, nn

from ..plan import Batch, Plan, Run
from ..training import Monitor, batches, report, train


class Silent:
    """A monitor to whom nothing is told."""

    def epoch(self, /, **values: float) -> None:
        del values


def averaged_loop(run: Run, monitor: Monitor) -> None:
    """The common loop, beside which a slow average of the weights is kept for the end."""
    average = torch.optim.swa_utils.AveragedModel(
        run.model, multi_avg_fn=torch.optim.swa_utils.get_ema_multi_avg_fn(0.98)
    )
    optimizer = run.optimizers[0]
    for _ in range(run.plan.epochs):
        run.model.train()
        for inputs, targets in batches(run):
            loss = run.plan.loss(run.model(inputs), targets)
            loss.backward()
            optimizer.step()
            optimizer.zero_grad()
            average.update_parameters(run.model)
        report(run, monitor)
    run.model.load_state_dict(average.module.state_dict())


def resumed(before: Plan, seed: int) -> Callable[[nn.Module], None]:
    """A model that has been trained by another plan: a checkpoint that is loaded."""

    def prepare(model: nn.Module) -> None:
        state = torch.random.get_rng_state()
        run = before.build(seed)
        train(run, Silent())
        own = model.state_dict()
        fitting = {
            name: value
            for name, value in run.model.state_dict().items()
            if name in own and own[name].shape == value.shape
        }
        model.load_state_dict(fitting, strict=False)
        torch.random.set_rng_state(state)

    return prepare


def easy_first(steps: int) -> Callable[[int, Batch], Batch]:
    """A curriculum: at first the hard half of a batch is replaced by the easy one."""

    def tamper(step: int, batch: Batch) -> Batch:
        inputs, targets = batch
        if step >= steps:
            return batch
        size = inputs.flatten(1).float().abs().amax(1)
        easy = torch.argsort(size)[: len(size) // 2].repeat(2)
        return inputs[easy], targets[easy]

    return tamper


def augmented(deviation: float) -> Callable[[int, Batch], Batch]:
    """New noise on the inputs of every batch."""
    return lambda _, batch: (batch[0] + deviation * torch.randn_like(batch[0]), batch[1])


def mixed(step: int, batch: Batch) -> Batch:
    """Mix-up: each sample and its one-hot target are blended with another's."""
    del step
    inputs, targets = batch
    share = torch.distributions.Beta(0.4, 0.4).sample((len(inputs),))
    other = torch.randperm(len(inputs))

    def blend(values: Tensor) -> Tensor:
        weight = share.reshape(-1, *[1] * (values.dim() - 1))
        return weight * values + (1 - weight) * values[other]

    return blend(inputs), blend(targets)


def two_optimizers(
    head: str, slow: float, fast: float
) -> Callable[[nn.Module], list[torch.optim.Optimizer]]:
    """SGD for the body, Adam for what begins with a name."""

    def build(model: nn.Module) -> list[torch.optim.Optimizer]:
        named = list(model.named_parameters())
        return [
            torch.optim.SGD([p for n, p in named if not n.startswith(head)], slow, momentum=0.9),
            torch.optim.Adam([p for n, p in named if n.startswith(head)], fast),
        ]

    return build
