"""A batch of garbage."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from paramedic.inject.fault import Fault, setting
from paramedic.inject.site import Site


@dataclass(frozen=True, slots=True)
class AbnormalData(Fault):
    """The inputs of one step are noise, many times their usual spread; tokens are drawn at random
    from the range of the batch."""

    slug = "abnormal-data"
    wakes = "abnormal-data"
    aliases = ("corrupted-batch",)
    neighbours = frozenset(
        {"gradient-instability", "loss-explosion", "exploding-gradient", "non-finite"}
    )
    needs = "the model was not called with a tensor, with gradients enabled"

    factor: float = setting(1000.0, "size of the noise in standard deviations of the batch")

    def begin(self, site: Site) -> None:
        def garbage(inputs: Tensor) -> Tensor:
            site.tell("the inputs replaced by noise")
            if inputs.is_floating_point():
                return self._noise(inputs, site.generator)
            return _tokens(inputs, site.generator)

        site.on_input(garbage)

    def _noise(self, inputs: Tensor, generator: torch.Generator) -> Tensor:
        noise = torch.randn(inputs.shape, generator=generator).to(inputs)
        spread = inputs.detach().float().std(correction=0)
        return noise * self.factor * torch.where(spread > 0, spread, 1.0).to(inputs)


def _tokens(inputs: Tensor, generator: torch.Generator) -> Tensor:
    low, high = int(inputs.long().min()), int(inputs.long().max())
    return torch.randint(low, high + 1, inputs.shape, generator=generator).to(inputs)
