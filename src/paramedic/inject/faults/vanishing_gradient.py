"""Gradients of next to nothing."""

from __future__ import annotations

from dataclasses import dataclass

from torch import nn

from paramedic.inject.fault import Fault, setting
from paramedic.inject.gradients import scale_gradients
from paramedic.inject.places import trainable
from paramedic.inject.site import Site


@dataclass(frozen=True, slots=True)
class VanishingGradient(Fault):
    """Every gradient is next to nothing for a step, as in Training Doctor's experiments:
    `at=500, every=2000, times=2`. With `layers`, only that of the early ones, as in a deep net."""

    slug = "vanishing-gradient"
    wakes = "vanishing-gradient"
    aliases = ("gradient-vanishing",)
    neighbours = frozenset({"learning-rate-too-low", "loss-plateau", "slow-convergence"})
    needs = "no backward pass gave these parameters a gradient"

    factor: float = setting(1e-8, "what every gradient is multiplied by")
    layers: tuple[str, ...] = setting((), "only of these modules")

    def check(self, model: nn.Module) -> None:
        trainable(model, self.layers)

    def begin(self, site: Site) -> None:
        scale_gradients(site, self.factor, self.layers)
