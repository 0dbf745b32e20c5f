"""Rectifiers that never fire."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import torch
from torch import Tensor, nn

from paramedic.inject.fault import Fault, InjectionError, setting
from paramedic.inject.places import described, named
from paramedic.inject.site import Site

_RECTIFIERS = (nn.ReLU, nn.ReLU6)


@dataclass(frozen=True, slots=True)
class DyingRelu(Fault):
    """The biases before the rectifiers are pushed far below zero, so that no unit fires.

    When it ends they are pushed back by as much.
    """

    slug = "dying-relu"
    wakes = "dying-relu"
    aliases = ("dead-units",)
    lasting = True
    needs = "there is no bias"

    amount: float = setting(10.0, "what is taken from each bias")
    layers: tuple[str, ...] = setting((), "the modules; if not given, those before a `nn.ReLU`")

    def check(self, model: nn.Module) -> None:
        self._layers(model)

    def _layers(self, model: nn.Module) -> dict[str, nn.Module]:
        if not self.layers:
            return _before_rectifiers(model)
        modules = dict(zip(self.layers, named(model, self.layers), strict=True))
        for name, module in modules.items():
            if not isinstance(getattr(module, "bias", None), Tensor):
                raise InjectionError(f"The module `{name}` has no bias.")
        return modules

    @torch.no_grad()
    def begin(self, site: Site) -> None:
        layers = self._layers(site.model)
        for module in layers.values():
            bias = module.bias
            assert isinstance(bias, Tensor)
            before = bias.clone()
            bias.sub_(self.amount)
            site.at_end(partial(_push_back, bias, before, bias.clone()))
        site.tell(f"the biases of {described(list(layers), '')} lowered by {self.amount:g}")


@torch.no_grad()
def _push_back(bias: Tensor, before: Tensor, pushed: Tensor) -> None:
    bias.copy_(before + (bias - pushed))  # exactly what it was, if it has not moved since


def _before_rectifiers(model: nn.Module) -> dict[str, nn.Module]:
    """The last layer with a bias before each rectifier, in the order of registration."""
    found: dict[str, nn.Module] = {}
    last: tuple[str, nn.Module] | None = None
    for name, module in model.named_modules():
        if isinstance(getattr(module, "bias", None), Tensor):
            last = name, module
        elif isinstance(module, _RECTIFIERS) and last is not None:
            found[last[0]] = last[1]
    if not found:
        raise InjectionError(
            "The model has no `nn.ReLU` behind a layer with a bias. If it calls a function "
            "instead, name the layers before it: `layers=[…]`."
        )
    return found
