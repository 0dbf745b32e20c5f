"""Learning rates times a factor."""

from __future__ import annotations

from contextlib import ExitStack

from torch.optim import Optimizer

from paramedic.inject.site import Site


def scale_rates(site: Site, factor: float) -> None:
    """Multiply the rates of all groups for the time of a step.

    Only then: a scheduler that computes the next rate from this one must not find ours, and what
    it sets must not undo the fault.
    """

    def scale(optimizer: Optimizer, after: ExitStack) -> None:
        for group in optimizer.param_groups:
            if "lr" in group:
                after.callback(group.__setitem__, "lr", group["lr"])
                group["lr"] = group["lr"] * factor
                site.tell(f"the learning rate times {factor:g}")

    site.before_step(scale)
