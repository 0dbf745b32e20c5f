"""Inputs that are all the same."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from paramedic.inject.fault import Fault
from paramedic.inject.site import Site


@dataclass(frozen=True, slots=True)
class DeadInput(Fault):
    """All inputs are zero, as behind a mask over everything."""

    slug = "dead-input"
    wakes = "dead-input"
    lasting = True
    needs = "the model was not called with a tensor, with gradients enabled"

    def begin(self, site: Site) -> None:
        def nothing(inputs: Tensor) -> Tensor:
            site.tell("the inputs set to zero")
            return torch.zeros_like(inputs)

        site.on_input(nothing)
