"""Gradients that are never cleared."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

from paramedic.inject.fault import Fault
from paramedic.inject.hooks import Hook
from paramedic.inject.site import Site


@dataclass(frozen=True, slots=True)
class MissingZeroGrad(Fault):
    """`zero_grad`, of the optimizer and of the model, does nothing."""

    slug = "missing-zero-grad"
    wakes = "missing-zero-grad"
    lasting = True
    needs = "neither `optimizer.zero_grad()` nor `model.zero_grad()` was called"

    def begin(self, site: Site) -> None:
        switch = Hook(lambda: site.tell("`zero_grad` left out"))
        for owner in (*site.optimizers, site.model):
            # A `partial` is copied and pickled with its owner, and then belongs to the copy.
            site.replace(owner, "zero_grad", partial(_zero_grad, owner, switch))
        site.at_end(switch.switch_off)


def _zero_grad(owner: Any, switch: Hook, set_to_none: bool = True) -> None:
    if switch.on:
        switch.tell()
    else:
        type(owner).zero_grad(owner, set_to_none)
