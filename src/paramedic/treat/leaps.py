"""Layers whose gradient leaps beside the others: known before the step is taken."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import torch
from torch import Tensor, nn

from paramedic.diagnose.detectors.exploding_gradient import ExplodingGradient
from paramedic.types import Event


class Leaps:
    """Tells by how much such gradients are too large, and makes them smaller."""

    def __init__(self, models: Mapping[str, nn.Module]) -> None:
        self._modules = dict(_named(models))
        self._judge = ExplodingGradient()

    def factors(self, event: Event) -> dict[str, float]:
        """By what the gradient of each layer that leapt by itself has to be multiplied."""
        layers = [name for name in event.data.get("moves", {}) if name in self._modules]
        way = [(name, type(self._modules[name]).__name__) for name in layers]
        found = self._judge.leaping(event, way)
        return {name: usual / norm for name, (norm, usual) in found.items() if name in layers}

    @torch.no_grad()
    def shrink(self, factors: Mapping[str, float]) -> None:
        """Multiply them."""
        for name, factor in factors.items():
            for grad in _gradients(self._modules[name]):
                grad.mul_(factor)


def _named(models: Mapping[str, nn.Module]) -> Iterator[tuple[str, nn.Module]]:
    """As the layers of a chart are named."""
    for prefix, model in models.items():
        for name, module in model.named_modules():
            yield ".".join(part for part in (prefix, name) if part), module


def _gradients(module: nn.Module) -> Sequence[Tensor]:
    own = module.parameters(recurse=False)
    return [one.grad for one in own if one.grad is not None]
