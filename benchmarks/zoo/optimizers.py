"""Optimizers and schedules, named as users name them."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import torch
from torch import nn
from torch.optim import Optimizer
from torch.optim import lr_scheduler as schedulers

Make = Callable[[nn.Module], Optimizer]
Schedule = Callable[[Optimizer, int], schedulers.LRScheduler]


def _over_all(kind: type[Optimizer], **settings: Any) -> Make:
    return lambda model: kind(
        [parameter for parameter in model.parameters() if parameter.requires_grad], **settings
    )


def sgd(rate: float, momentum: float = 0.0, **settings: Any) -> Make:
    return _over_all(torch.optim.SGD, lr=rate, momentum=momentum, **settings)


def adam(rate: float, **settings: Any) -> Make:
    return _over_all(torch.optim.Adam, lr=rate, **settings)


def adamw(rate: float, **settings: Any) -> Make:
    return _over_all(torch.optim.AdamW, lr=rate, **settings)


def rmsprop(rate: float, **settings: Any) -> Make:
    return _over_all(torch.optim.RMSprop, lr=rate, **settings)


def adagrad(rate: float) -> Make:
    return _over_all(torch.optim.Adagrad, lr=rate)


def nadam(rate: float) -> Make:
    return _over_all(torch.optim.NAdam, lr=rate)


def lbfgs(rate: float = 0.5) -> Make:
    return _over_all(torch.optim.LBFGS, lr=rate, max_iter=4, history_size=10)


def without(make: Make, *left_out: str) -> Make:
    """The same optimizer, but parameters whose names begin so were forgotten."""

    def build(model: nn.Module) -> Optimizer:
        trained = nn.Module()
        for name, parameter in model.named_parameters():
            if not name.startswith(left_out):
                trained.register_parameter(name.replace(".", "_"), parameter)
        return make(trained)

    return build


def with_zero_rate(kind: type[Optimizer], rate: float, *stuck: str, **settings: Any) -> Make:
    """Parameters whose names begin so are in a group of their own, with a rate of zero."""

    def build(model: nn.Module) -> Optimizer:
        named = list(model.named_parameters())
        groups = [
            {"params": [p for name, p in named if not name.startswith(stuck)], "lr": rate},
            {"params": [p for name, p in named if name.startswith(stuck)], "lr": 0.0},
        ]
        return kind(groups, lr=rate, **settings)

    return build


def sparse_and_dense(rate: float) -> Callable[[nn.Module], list[Optimizer]]:
    """SparseAdam for the embedding, Adam for the rest."""

    def build(model: nn.Module) -> list[Optimizer]:
        named = dict(model.named_parameters())
        embedding = [p for name, p in named.items() if name.startswith("embedding")]
        rest = [p for name, p in named.items() if not name.startswith("embedding")]
        return [torch.optim.SparseAdam(embedding, lr=rate), torch.optim.Adam(rest, lr=rate)]

    return build


def layerwise(rate: float, decay: float) -> Make:
    """AdamW with smaller rates for earlier children, as in fine-tuning."""

    def build(model: nn.Module) -> Optimizer:
        children = [c for c in model.children() if any(True for _ in c.parameters())]
        last = len(children) - 1
        groups = [
            {"params": list(child.parameters()), "lr": rate * decay ** (last - place)}
            for place, child in enumerate(children)
        ]
        return torch.optim.AdamW(groups, lr=rate)

    return build


def warmup(share: float = 0.1) -> Schedule:
    """Up from almost nothing, then constant."""
    return lambda optimizer, steps: schedulers.LinearLR(
        optimizer, 0.01, 1.0, total_iters=max(1, int(share * steps))
    )


def cosine() -> Schedule:
    return lambda optimizer, steps: schedulers.CosineAnnealingLR(optimizer, steps)


def warmup_cosine(share: float = 0.1) -> Schedule:
    def build(optimizer: Optimizer, steps: int) -> schedulers.LRScheduler:
        rising = max(1, int(share * steps))

        def factor(step: int) -> float:
            if step < rising:
                return (step + 1) / rising
            return 0.5 * (1 + math.cos(math.pi * (step - rising) / max(1, steps - rising)))

        return schedulers.LambdaLR(optimizer, factor)

    return build


def one_cycle(highest: float) -> Schedule:
    return lambda optimizer, steps: schedulers.OneCycleLR(optimizer, highest, total_steps=steps + 1)


def stairs(factor: float = 0.3, times: int = 3) -> Schedule:
    return lambda optimizer, steps: schedulers.StepLR(optimizer, steps // (times + 1), factor)


def swings(lowest: float, highest: float, half_period: int) -> Schedule:
    """A cyclic rate."""
    return lambda optimizer, _: schedulers.CyclicLR(
        optimizer, lowest, highest, step_size_up=half_period, cycle_momentum=False
    )


def jump(share: float, factor: float) -> Schedule:
    """The rate is multiplied after a share of the run, as by a mistaken schedule."""
    return lambda optimizer, steps: schedulers.LambdaLR(
        optimizer, lambda step: factor if step >= share * steps else 1.0
    )


def other(kind: type[Optimizer], rate: float, **settings: Any) -> Make:
    """Any optimizer of torch that has no name of its own here."""
    return _over_all(kind, lr=rate, **settings)


def restarts(period: int, factor: int = 1) -> Schedule:
    """A cosine that begins anew, each time after `factor` times as many steps."""
    return lambda optimizer, _: schedulers.CosineAnnealingWarmRestarts(optimizer, period, factor)


def fading(last: float = 0.01) -> Schedule:
    """Down by the same share at every step, to a share of the first rate."""
    return lambda optimizer, steps: schedulers.ExponentialLR(optimizer, last ** (1 / steps))


def straight() -> Schedule:
    """Down to nothing along a line."""
    return lambda optimizer, steps: schedulers.LambdaLR(
        optimizer, lambda step: max(0.0, 1 - step / steps)
    )


def inverse_root(rising: int) -> Schedule:
    """Up along a line, then down as one over the root of the steps."""
    return lambda optimizer, _: schedulers.LambdaLR(
        optimizer, lambda step: min((step + 1) / rising, (rising / (step + 1)) ** 0.5)
    )
