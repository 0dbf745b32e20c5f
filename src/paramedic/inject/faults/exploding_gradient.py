"""Gradients that are many times too large."""

from __future__ import annotations

from dataclasses import dataclass

from torch import nn

from paramedic.inject.fault import Fault, setting
from paramedic.inject.gradients import scale_gradients
from paramedic.inject.places import trainable
from paramedic.inject.site import Site


@dataclass(frozen=True, slots=True)
class ExplodingGradient(Fault):
    """Every gradient is many times too large for a step, as in Training Doctor's experiments:
    `at=500, every=2000, times=2`."""

    slug = "exploding-gradient"
    wakes = "exploding-gradient"
    aliases = ("gradient-explosion",)
    neighbours = frozenset({"gradient-instability", "loss-explosion", "learning-rate-too-high"})
    needs = "no backward pass gave these parameters a gradient"

    factor: float = setting(20.0, "what every gradient is multiplied by")
    layers: tuple[str, ...] = setting((), "only of these modules")

    def check(self, model: nn.Module) -> None:
        trainable(model, self.layers)

    def begin(self, site: Site) -> None:
        scale_gradients(site, self.factor, self.layers)
