"""A small patient, and a training loop that writes down everything a fault could change."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torch.nn.modules import module as hooks
from torch.optim import Optimizer
from torch.optim import optimizer as optimizer_hooks

import paramedic
from paramedic.inject.injection import Injection

SIZE = 16
ONE_STEP = {"exploding-gradient", "vanishing-gradient", "abnormal-data", "non-finite"}


def data(samples: int = 512) -> tuple[Tensor, Tensor]:
    """Which of the first four features is the largest: easy to learn."""
    x = torch.randn(samples, 12, generator=torch.Generator().manual_seed(7))
    return x, x[:, :4].argmax(dim=1)


def net() -> nn.Sequential:
    """With everything that some fault needs: rectifiers, bounded units, a normalisation."""
    torch.manual_seed(0)
    return nn.Sequential(
        nn.Linear(12, 32), nn.BatchNorm1d(32), nn.ReLU(), nn.Linear(32, 32), nn.Tanh(),
        nn.Linear(32, 32), nn.ReLU(), nn.Linear(32, 4),
    )  # fmt: skip


def momentum(model: nn.Module) -> Optimizer:
    return torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)


@dataclass
class Run:
    """What became of a run, step by step."""

    losses: list[float] = field(default_factory=list)
    weights: list[Tensor] = field(default_factory=list)  # after the step
    gradients: list[Tensor] = field(default_factory=list)  # as clipping would find them
    random: list[Tensor] = field(default_factory=list)
    rates: list[float] = field(default_factory=list)  # between two steps
    injection: Injection | None = None
    monitor: Any = None

    @property
    def log(self) -> list[tuple[int, str]]:
        assert self.injection is not None
        return self.injection.log


def flat(tensors: Sequence[Tensor | None]) -> Tensor:
    return torch.cat([one.detach().flatten().clone() for one in tensors if one is not None])


def train(
    steps: int,
    fault: str | Sequence[str] | None = None,
    *,
    model: nn.Module | None = None,
    make: Callable[[nn.Module], Optimizer] = momentum,
    passes: int = 1,
    watch: str = "",
    **settings: Any,
) -> Run:
    """Train the patient; `watch` says when a monitor is attached: `before` or `after` the fault."""
    model = net() if model is None else model
    optimizer = make(model)
    run, (x, y) = Run(), data()
    torch.manual_seed(1)
    with ExitStack() as stack:
        if watch == "before":
            run.monitor = stack.enter_context(_watched(model, optimizer))
        if fault is not None:
            run.injection = stack.enter_context(
                paramedic.inject(model, optimizer, fault, **settings)
            )
        if watch == "after":
            run.monitor = stack.enter_context(_watched(model, optimizer))
        for _ in range(steps):
            optimizer.zero_grad()
            for _ in range(passes):
                chosen = torch.randint(len(x), (SIZE,))
                batch = x[chosen], y[chosen]
                if run.injection is not None:
                    batch = run.injection.batch(*batch)
                loss = F.cross_entropy(model(batch[0]), batch[1]) / passes
                loss.backward()
            run.gradients.append(flat([parameter.grad for parameter in model.parameters()]))
            optimizer.step()
            run.losses.append(loss.item())
            run.weights.append(flat(list(model.state_dict().values())))
            run.random.append(torch.get_rng_state())
            run.rates.append(optimizer.param_groups[0]["lr"])
    return run


def _watched(model: nn.Module, optimizer: Optimizer) -> Any:
    return paramedic.watch(model, optimizer, overhead=None, strict=True, rules="default")


def first_difference(one: Sequence[Any], other: Sequence[Any]) -> float:
    """The first step at which two series differ, bit for bit; infinite if they do not."""
    for step, (left, right) in enumerate(zip(one, other, strict=True)):
        same = torch.equal(left, right) if isinstance(left, Tensor) else left == right
        if not same:
            return step
    return math.inf


def traces(model: nn.Module, optimizer: Optimizer) -> dict[str, Any]:
    """Everything by which an injection could be noticed when it is over."""
    found: dict[str, Any] = {
        "optimizer": sorted(vars(optimizer)),
        "step hooks": (
            len(optimizer._optimizer_step_pre_hooks) + len(optimizer._optimizer_step_post_hooks)
        ),
        "steps of all": (
            len(optimizer_hooks._global_optimizer_pre_hooks)
            + len(optimizer_hooks._global_optimizer_post_hooks)
        ),
        "modules of all": len(hooks._global_forward_hooks) + len(hooks._global_forward_pre_hooks),
        "scaler": torch.amp.GradScaler.step,
    }
    for name, module in model.named_modules():
        kept = [value for key, value in vars(module).items() if "hooks" in key and value]
        found[name] = [sorted(vars(module)), module.training, len(kept)]
    for name, parameter in model.named_parameters():
        found[name] = (parameter.requires_grad, len(parameter._backward_hooks or ()))
    return found
