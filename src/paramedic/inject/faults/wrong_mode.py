"""Training in evaluation mode."""

from __future__ import annotations

from dataclasses import dataclass

from paramedic.inject.fault import Fault
from paramedic.inject.site import Site


@dataclass(frozen=True, slots=True)
class WrongMode(Fault):
    """The training passes run in evaluation mode: no dropout, and batch normalisation by its
    running statistics, which stand still. A call of `model.train()` does not end it."""

    slug = "wrong-mode"
    wakes = "wrong-mode"
    aliases = ("eval-mode",)
    lasting = True
    needs = "the model was not called in training mode, with gradients enabled"

    def begin(self, site: Site) -> None:
        site.in_evaluation("the training passes run in evaluation mode")
