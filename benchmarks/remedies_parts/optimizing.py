"""Changes of an optimizer, a schedule or a step that a remedy asks for."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import nn
from torch.optim import Optimizer
from torch.optim.lr_scheduler import LRScheduler
from zoo.optimizers import Schedule

Make = Callable[[nn.Module], Optimizer | Sequence[Optimizer]]


def _each(make: Make, change: Callable[[Optimizer, nn.Module], Any]) -> Make:
    """The same optimizers, each changed after it was made."""

    def build(model: nn.Module) -> list[Optimizer]:
        made = make(model)
        optimizers = [made] if isinstance(made, Optimizer) else list(made)
        return [change(one, model) or one for one in optimizers]

    return build


def scaled(make: Make, factor: float) -> Make:
    """All rates times a factor."""

    def change(optimizer: Optimizer, _: nn.Module) -> None:
        for group in optimizer.param_groups:
            group["lr"] *= factor

    return _each(make, change)


def scaled_schedule(schedule: Schedule | None, factor: float) -> Schedule | None:
    """A schedule with rates of its own follows the factor too; the others read the optimizer."""
    if schedule is None:
        return None

    def build(optimizer: Optimizer, steps: int) -> LRScheduler:
        made = schedule(optimizer, steps)
        if hasattr(made, "max_lrs"):
            made.max_lrs = [factor * rate for rate in made.max_lrs]
            made.base_lrs = [factor * rate for rate in made.base_lrs]
        return made

    return build


class _Capped:
    """A schedule whose rates are cut."""

    def __init__(self, inner: LRScheduler | None, optimizer: Optimizer, most: float) -> None:
        self.inner, self.optimizer, self.most = inner, optimizer, most
        self._cut()

    def step(self) -> None:
        if self.inner is not None:
            self.inner.step()
        self._cut()

    def _cut(self) -> None:
        for group in self.optimizer.param_groups:
            group["lr"] = min(group["lr"], self.most)


def capped(schedule: Schedule | None, most: float) -> Any:
    """The schedule, never above a rate."""

    def build(optimizer: Optimizer, steps: int) -> _Capped:
        return _Capped(schedule(optimizer, steps) if schedule else None, optimizer, most)

    return build


def setting(make: Make, **values: Any) -> Make:
    """The same optimizer with other settings."""

    def change(optimizer: Optimizer, _: nn.Module) -> None:
        for group in optimizer.param_groups:
            group.update(values)

    return _each(make, change)


def decayed(make: Make, weight_decay: float) -> Make:
    """With weight decay; Adam becomes AdamW, as advised."""

    def change(optimizer: Optimizer, _: nn.Module) -> Optimizer | None:
        if type(optimizer) is torch.optim.Adam:
            groups = [
                {"params": group["params"], "lr": group["lr"], "betas": group["betas"]}
                for group in optimizer.param_groups
            ]
            return torch.optim.AdamW(groups, weight_decay=weight_decay)
        for group in optimizer.param_groups:
            group["weight_decay"] = weight_decay
        return None

    return _each(make, change)


def complete(make: Make) -> Make:
    """With every parameter of the model, and no rate of zero."""

    def change(optimizer: Optimizer, model: nn.Module) -> None:
        held = {id(one) for group in optimizer.param_groups for one in group["params"]}
        forgotten = [one for one in model.parameters() if id(one) not in held and one.requires_grad]
        if forgotten:
            optimizer.add_param_group({"params": forgotten})
        highest = max(group["lr"] for group in optimizer.param_groups)
        for group in optimizer.param_groups:
            group["lr"] = group["lr"] or highest

    return _each(make, change)


def skipping(make: Make) -> Make:
    """Steps are taken only with a finite gradient."""

    def change(optimizer: Optimizer, _: nn.Module) -> None:
        take = optimizer.step

        def step(closure: Any = None) -> Any:
            gradients = [
                one.grad for group in optimizer.param_groups for one in group["params"]
                if one.grad is not None
            ]  # fmt: skip
            finite = all(bool(torch.isfinite(one).all()) for one in gradients)
            return take(closure) if finite else None

        optimizer.step = step  # type: ignore[method-assign]

    return _each(make, change)
