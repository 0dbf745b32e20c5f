"""Sigmoid and tanh units at their bounds."""

from __future__ import annotations

from dataclasses import dataclass

from torch import Tensor, nn

from paramedic.inject.fault import Fault, InjectionError, setting
from paramedic.inject.places import described, learners, named
from paramedic.inject.site import Site

_BOUNDED = (nn.Tanh, nn.Sigmoid, nn.Hardtanh, nn.Hardsigmoid, nn.Softsign)


@dataclass(frozen=True, slots=True)
class SaturatedActivation(Fault):
    """What goes into the bounded activations of the hidden layers is scaled up, so that they give
    hardly anything but their bounds; in validation, too."""

    slug = "saturated-activation"
    wakes = "saturated-activation"
    lasting = True
    needs = "the activations were not called"

    factor: float = setting(100.0, "what the pre-activations are multiplied by")
    layers: tuple[str, ...] = setting(
        (), "activations, or layers whose output is a pre-activation; if not given, all activations"
    )

    def check(self, model: nn.Module) -> None:
        self._layers(model)

    def _layers(self, model: nn.Module) -> dict[str, nn.Module]:
        if self.layers:
            return dict(zip(self.layers, named(model, self.layers), strict=True))
        return _hidden_activations(model)

    def begin(self, site: Site) -> None:
        layers = self._layers(site.model)
        what = f"the pre-activations of {described(list(layers), '')} times {self.factor:g}"

        def scaled(values: Tensor) -> Tensor:
            site.tell(what)
            return values * self.factor

        for module in layers.values():
            if isinstance(module, _BOUNDED):
                site.on_input(scaled, module, always=True)
            else:
                site.on_output(module, scaled, always=True)


def _hidden_activations(model: nn.Module) -> dict[str, nn.Module]:
    """The bounded activations that some layer with weights comes after."""
    order = [module for _, module in model.named_modules()]
    weights = [module for _, module in learners(model)]
    last = max((order.index(module) for module in weights), default=-1)
    found: dict[str, nn.Module] = {
        name: module
        for place, (name, module) in enumerate(model.named_modules())
        if isinstance(module, _BOUNDED) and place < last
    }
    if not found:
        raise InjectionError(
            "The model has no hidden `nn.Tanh`, `nn.Sigmoid` or other bounded activation. If it "
            "calls a function instead, name the layers before it: `layers=[…]`."
        )
    return found
