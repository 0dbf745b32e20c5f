"""Layers that the optimizer leaves as they are."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import dataclass

from torch import Tensor, nn
from torch.optim import Optimizer

from paramedic.inject.fault import Fault, InjectionError, setting
from paramedic.inject.places import described, learners, trainable
from paramedic.inject.site import Site


@dataclass(frozen=True, slots=True)
class UntrainedParameters(Fault):
    """Some layers get their gradients but do not move, as if the optimizer did not know them.

    The optimizer does not see their gradients while it steps; before and after they are there.
    """

    slug = "untrained-parameters"
    wakes = "untrained-parameters"
    aliases = ("frozen-layers",)
    lasting = True
    needs = "the layers had no gradient when the optimizer stepped"

    layers: tuple[str, ...] = setting(
        (), "the modules; if not given, the first half of those with weights"
    )

    def check(self, model: nn.Module) -> None:
        trainable(model, self._names(model))

    def _names(self, model: nn.Module) -> tuple[str, ...]:
        if self.layers:
            return self.layers
        names = [name for name, _ in learners(model)]
        if len(names) < 2:
            raise InjectionError(
                "The model has fewer than two layers with trainable parameters, so that one half "
                "of them cannot be frozen. Name what to freeze: `layers=[…]`."
            )
        return tuple(names[: len(names) // 2])

    def begin(self, site: Site) -> None:
        names = self._names(site.model)
        parameters = trainable(site.model, names)

        def hide(optimizer: Optimizer, after: ExitStack) -> None:
            for parameter in parameters:
                if parameter.grad is not None:
                    site.tell(f"{described(names, '')} kept from the optimizer")
                    after.callback(_give_back, parameter, parameter.grad)
                    parameter.grad = None

        site.before_step(hide)


def _give_back(parameter: Tensor, gradient: Tensor) -> None:
    parameter.grad = gradient
