"""Gradients times a factor."""

from __future__ import annotations

from collections.abc import Sequence

from torch import Tensor

from paramedic.inject.places import described, trainable
from paramedic.inject.site import Site


def scale_gradients(site: Site, factor: float, layers: Sequence[str]) -> None:
    """Multiply what each backward pass adds to the gradients of all layers, or of some."""
    what = f"the gradients of {described(layers, 'all layers')} times {factor:g}"

    def scaled(gradient: Tensor) -> Tensor:
        site.tell(what)
        return gradient * factor

    for parameter in trainable(site.model, layers):
        site.on_gradient(parameter, scaled)
