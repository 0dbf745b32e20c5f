"""A NaN out of a layer."""

from __future__ import annotations

import math
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from paramedic.inject.fault import Fault, InjectionError, setting
from paramedic.inject.places import learners, named
from paramedic.inject.site import Site


@dataclass(frozen=True, slots=True)
class NonFinite(Fault):
    """One value of the output of a layer is NaN for a step."""

    slug = "non-finite"
    wakes = "non-finite"
    aliases = ("nan",)
    needs = "the layer was not called, with gradients enabled"

    layer: str = setting("", "the module; if not given, the middle one of those with weights")
    value: float = setting(math.nan, "NaN or an infinity")

    def check(self, model: nn.Module) -> None:
        self._place(model)
        if math.isfinite(self.value):
            raise InjectionError(f"`value` must be NaN or infinite but got {self.value!r}.")

    def _place(self, model: nn.Module) -> tuple[str, nn.Module]:
        if self.layer:
            return self.layer, named(model, [self.layer])[0]
        found = learners(model)
        if not found:
            raise InjectionError("The model has no layer with trainable parameters.")
        return found[len(found) // 2]

    def begin(self, site: Site) -> None:
        name, module = self._place(site.model)

        def poison(output: Tensor) -> Tensor:
            if not output.is_floating_point() or not output.numel():
                return output
            site.tell(f"a value of the output of `{name}` set to {self.value}")
            first = torch.zeros_like(output, dtype=torch.bool)
            first.view(-1)[0] = True
            return output.masked_fill(first, self.value)

        site.on_output(module, poison)
