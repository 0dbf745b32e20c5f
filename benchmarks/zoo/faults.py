"""Faults of models, batches and orders that recipes put into a sound plan."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor, nn

from .plan import Batch

Prepare = Callable[[nn.Module], None]
Tamper = Callable[[int, Batch], Batch]


# -- of a fresh model ------------------------------------------------------------------------


def constant_parameters(value: float) -> Prepare:
    """Every unit of a layer is the same, so they stay the same."""

    @torch.no_grad()
    def prepare(model: nn.Module) -> None:
        for parameter in model.parameters():
            parameter.fill_(value)

    return prepare


def scaled_weights(factor: float, *names: str) -> Prepare:
    """Weights, not biases, that many times too large; only of layers with such a name."""

    @torch.no_grad()
    def prepare(model: nn.Module) -> None:
        for name, parameter in model.named_parameters():
            if parameter.dim() > 1 and (not names or any(part in name for part in names)):
                parameter.mul_(factor)

    return prepare


def normal_weights(deviation: float) -> Prepare:
    """All weights from a normal distribution of one deviation, whatever the layer."""

    @torch.no_grad()
    def prepare(model: nn.Module) -> None:
        for parameter in model.parameters():
            if parameter.dim() > 1:
                parameter.normal_(0, deviation)

    return prepare


def hidden_biases(value: float) -> Prepare:
    """One bias for all hidden units; far below zero it keeps every ReLU shut."""

    @torch.no_grad()
    def prepare(model: nn.Module) -> None:
        biases = [
            parameter for name, parameter in model.named_parameters() if name.endswith("bias")
        ]
        for bias in biases[:-1]:
            bias.fill_(value)

    return prepare


def frozen(*names: str) -> Prepare:
    """Parameters whose names begin so do not learn, by intent."""

    def prepare(model: nn.Module) -> None:
        for name, parameter in model.named_parameters():
            parameter.requires_grad_(not name.startswith(names))

    return prepare


class Detached(nn.Module):
    """A body whose output is detached, so that no gradient reaches it, and a head."""

    def __init__(self, body: nn.Module, head: nn.Module) -> None:
        super().__init__()
        self.body = body
        self.head = head

    def forward(self, x: Tensor) -> Tensor:
        return self.head(self.body(x).detach())


def detached(make: Callable[[], nn.Sequential], last: int = 1) -> Callable[[], nn.Module]:
    """A sequential model, detached before its last layers."""

    def build() -> nn.Module:
        layers = list(make())
        return Detached(nn.Sequential(*layers[:-last]), nn.Sequential(*layers[-last:]))

    return build


class Masked(nn.Module):
    """A mask in front of the model that lets nothing through."""

    def __init__(self, model: nn.Module) -> None:
        super().__init__()
        self.model = model
        self.register_buffer("mask", torch.zeros(1))

    def forward(self, x: Tensor) -> Tensor:
        return self.model(x * self.mask)


def masked(make: Callable[[], nn.Module]) -> Callable[[], nn.Module]:
    """The model behind a mask."""
    return lambda: Masked(make())


def inserted(
    make: Callable[[], nn.Sequential], place: int, module: type[nn.Module]
) -> Callable[[], nn.Module]:
    """A sequential model with a module put in."""

    def build() -> nn.Module:
        layers = list(make())
        return nn.Sequential(*layers[:place], module(), *layers[place:])

    return build


# -- of a batch ------------------------------------------------------------------------------


def spiked_inputs(every: int, factor: float) -> Tamper:
    """Now and then a batch whose inputs are far too large."""
    return lambda step, batch: (batch[0] * factor, batch[1]) if step % every == every - 1 else batch


def spiked_targets(every: int, factor: float) -> Tamper:
    """Now and then a batch whose targets are far too large."""
    return lambda step, batch: (batch[0], batch[1] * factor) if step % every == every - 1 else batch


def input_of_step(at: int, value: float) -> Tamper:
    """One reading of one batch is that value."""

    def tamper(step: int, batch: Batch) -> Batch:
        inputs, targets = batch
        if step == at:
            inputs = inputs.clone()
            inputs.flatten()[0] = value
        return inputs, targets

    return tamper


def constant_targets_from(at: int) -> Tamper:
    """From a step on, all targets of a batch are equal."""

    def tamper(step: int, batch: Batch) -> Batch:
        inputs, targets = batch
        return inputs, torch.full_like(targets, 0.5) if step >= at else targets

    return tamper


def first_target_for_all(step: int, batch: Batch) -> Batch:
    """Every sample of a batch gets the label of the first, as a wrong index does."""
    inputs, targets = batch
    return inputs, targets[:1].expand_as(targets).contiguous()


def inputs_replaced_from(at: int, change: Callable[[Tensor], Tensor]) -> Tamper:
    """From a step on, something is done to the inputs."""
    return lambda step, batch: (change(batch[0]), batch[1]) if step >= at else batch


# -- of an order -----------------------------------------------------------------------------


def sorted_by_class(targets: Tensor, generator: torch.Generator) -> Tensor:
    """All samples of one class, then all of the next: a loader that forgot to shuffle."""
    del generator
    return torch.argsort(targets.flatten(), stable=True)
