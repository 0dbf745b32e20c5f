"""Changes of a model that only the models of the zoo need; all others are `treat/surgery`."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import torch
from torch import Tensor, nn
from zoo.faults import Detached
from zoo.sick.numerics import Exponent, Log, Standardised


def _places(model: nn.Module) -> Iterator[tuple[nn.Module, str, str, nn.Module]]:
    """Each module with its parent, its name there and its full name."""
    for path, module in list(model.named_modules()):
        if path:
            parent, _, name = path.rpartition(".")
            yield model.get_submodule(parent), name, path, module


def attached(model: nn.Module) -> nn.Module:
    """The model without what detaches its parts."""
    return nn.Sequential(model.body, model.head) if isinstance(model, Detached) else model


class _Guarded(nn.Module):
    def __init__(self, function: Callable[[Tensor], Tensor]) -> None:
        super().__init__()
        self.function = function

    def forward(self, x: Tensor) -> Tensor:
        return self.function(x)


_GUARDS: dict[type[nn.Module], Callable[[Tensor], Tensor]] = {
    Log: lambda x: torch.log(torch.relu(x).clamp_min(1e-8)),
    Standardised: lambda x: (x - x.mean(0)) / (x.std(0) + 1e-8),
    Exponent: lambda x: torch.exp((40 * x).clamp(max=30)),
}


def guard(model: nn.Module) -> bool:
    """Guards for the operations of the zoo that have none; False if there is none."""
    done = False
    for parent, name, _, module in _places(model):
        if type(module) in _GUARDS:
            setattr(parent, name, _Guarded(_GUARDS[type(module)]))
            done = True
    return done
