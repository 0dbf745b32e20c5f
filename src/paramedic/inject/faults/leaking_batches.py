"""Samples that see each other."""

from __future__ import annotations

from dataclasses import dataclass

from torch import Tensor, nn

from paramedic.inject.fault import Fault, InjectionError, setting
from paramedic.inject.site import Site


@dataclass(frozen=True, slots=True)
class LeakingBatches(Fault):
    """Each sample is mixed with its neighbour in the batch, so that what the model says of one
    depends on another; in validation, too. Of tokens, every second one is the neighbour's.

    No detector can see this in the numbers of a run; `checkup` is there for it.
    """

    slug = "leaking-batches"
    wakes = None
    lasting = True
    needs = "the model was not called with a batch of at least two samples"

    share: float = setting(0.5, "the share of the neighbour in the mixture")

    def check(self, model: nn.Module) -> None:
        if not 0 < self.share <= 1:
            raise InjectionError(f"`share` must be above 0 and at most 1 but got {self.share!r}.")

    def begin(self, site: Site) -> None:
        def mixed(inputs: Tensor) -> Tensor:
            if not inputs.dim() or len(inputs) < 2:
                return inputs
            site.tell("each sample mixed with its neighbour in the batch")
            neighbours = inputs.roll(1, 0)
            if inputs.is_floating_point():
                return inputs * (1 - self.share) + neighbours * self.share
            inputs = inputs.clone()
            inputs[..., ::2] = neighbours[..., ::2]
            return inputs

        site.on_input(mixed, always=True)
