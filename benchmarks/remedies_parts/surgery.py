"""Changes of a model that a remedy asks for, made in place as a user would make them."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import torch
from torch import Tensor, nn
from zoo.faults import Detached
from zoo.sick.numerics import Exponent, Log, Standardised

ACTIVATIONS = (nn.ReLU, nn.LeakyReLU, nn.Tanh, nn.Sigmoid, nn.Softmax, nn.LogSoftmax, nn.GELU)


def _places(model: nn.Module) -> Iterator[tuple[nn.Module, str, str, nn.Module]]:
    """Each module with its parent, its name there and its full name."""
    for path, module in list(model.named_modules()):
        if path:
            parent, _, name = path.rpartition(".")
            yield model.get_submodule(parent), name, path, module


def replace_activations(model: nn.Module, layers: list[str], old: str, new: str) -> None:
    """Other activations in the layers of these names."""
    for parent, name, path, module in _places(model):
        if path in layers and isinstance(module, getattr(nn, old)):
            setattr(parent, name, getattr(nn, new)())


def normalise(model: nn.Module, layers: list[str], kind: str) -> bool:
    """A normalisation behind the layers of these names; False where that cannot be."""
    done = False
    for parent, name, path, module in _places(model):
        width = getattr(module, "out_features", None) or getattr(module, "out_channels", None)
        if path in layers and width:
            setattr(parent, name, nn.Sequential(module, getattr(nn, kind)(width)))
            done = True
    return done


@torch.no_grad()
def reinitialise(model: nn.Module, scheme: str) -> None:
    """Fresh weights by the scheme; what is neither linear nor a convolution by its own rule."""
    for module in model.modules():
        if isinstance(module, nn.Linear | nn.Conv1d | nn.Conv2d):
            if scheme == "Glorot's":
                nn.init.xavier_uniform_(module.weight)
            else:
                nn.init.kaiming_uniform_(module.weight, nonlinearity="relu")
            if module.bias is not None:
                nn.init.zeros_(module.bias)
        elif isinstance(module, nn.RNNBase):
            _orthogonal(module)
        elif isinstance(module, nn.MultiheadAttention):
            module._reset_parameters()
        elif hasattr(module, "reset_parameters"):
            module.reset_parameters()


def _orthogonal(module: nn.RNNBase) -> None:
    for name, parameter in module.named_parameters():
        if "weight_hh" in name:
            nn.init.orthogonal_(parameter)
        elif parameter.dim() > 1:
            nn.init.xavier_uniform_(parameter)
        else:
            nn.init.zeros_(parameter)


def set_dropout(model: nn.Module, share: float) -> None:
    """That dropout where there is one, else behind each activation but the last."""
    found = [module for module in model.modules() if isinstance(module, nn.Dropout)]
    for module in found:
        module.p = share
    if found:
        return
    acting = [place for place in _places(model) if isinstance(place[3], ACTIVATIONS)]
    for parent, name, _, module in acting:
        setattr(parent, name, nn.Sequential(module, nn.Dropout(share)))


def more_dropout(model: nn.Module, by: float, most: float) -> None:
    """The same share more for every dropout there is."""
    for module in model.modules():
        if isinstance(module, nn.Dropout):
            module.p = min(module.p + by, most)


def end_in(model: nn.Module, function: nn.Module) -> nn.Module:
    """The model with that function at its end, in the place of an activation that stands there."""
    last = list(_places(model))[-1]
    parent, name, _, module = last
    if isinstance(module, (*ACTIVATIONS, nn.Identity)):
        setattr(parent, name, function)
        return model
    return nn.Sequential(model, function)


def outputs(model: nn.Module, count: int) -> None:
    """Another number of outputs for the last linear layer."""
    linear = [place for place in _places(model) if isinstance(place[3], nn.Linear)]
    parent, name, _, module = linear[-1]
    setattr(parent, name, nn.Linear(module.in_features, count))


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
