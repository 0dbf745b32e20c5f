"""Interventions that stay in force until they are taken back: a rate, a clip, a dropout.

The rate is scaled for the moment of the step alone, and a clip acts on gradients that are there,
so schedules go on as the user planned them, and taking back means to stop doing it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from math import inf, sqrt
from typing import Any

from torch import nn
from torch.nn.modules.dropout import _DropoutNd
from torch.optim import Optimizer

from paramedic.probe.cycle import Cycle


@dataclass(slots=True)
class Measure:
    """One thing in force, and what it was for."""

    action: str
    cause: str
    factor: float = 1.0  # of the rate
    max_norm: float = inf
    raised: list[tuple[nn.Module, str, float]] = field(default_factory=list)  # what it was before

    def end(self) -> None:
        """Give back what was changed for good."""
        for module, name, before in self.raised:
            setattr(module, name, before)


class Lasting:
    """The measures in force, oldest first."""

    def __init__(self, optimizers: Iterable[Optimizer]) -> None:
        groups = [group for one in optimizers for group in one.param_groups]
        self._places = {id(group): place for place, group in enumerate(groups)}
        self.measures: list[Measure] = []
        self._borrowed: list[tuple[dict[str, Any], Any]] = []  # groups and their own rates
        self._last_rates: dict[int, float] = {}

    @property
    def factor(self) -> float:
        """What the rate is multiplied by."""
        factor = 1.0
        for measure in self.measures:
            factor *= measure.factor
        return factor

    @property
    def max_norm(self) -> float:
        """What the gradient norm is clipped to."""
        return min((measure.max_norm for measure in self.measures), default=inf)

    def scale_rate(self, cause: str, factor: float) -> None:
        """From now on, so much of the rate."""
        self.measures.append(Measure("scale-rate", cause, factor=factor))

    def clip(self, cause: str, max_norm: float) -> None:
        """From now on, no larger gradient than this."""
        self.measures.append(Measure("clip-gradients", cause, max_norm=max_norm))

    def raise_dropout(
        self, cause: str, models: Iterable[nn.Module], by: float, most: float
    ) -> bool:
        """More dropout wherever there is some; False if there is none that could be raised."""
        raised = []
        for module, name in _dropouts(models):
            before = float(getattr(module, name))
            after = min(before + by, most)
            if after > before:
                setattr(module, name, after)
                raised.append((module, name, before))
        if raised:
            self.measures.append(Measure("raise-dropout", cause, raised=raised))
        return bool(raised)

    def take_back(self, cause: str | None = None) -> Measure | None:
        """End the newest measure, of that cause if one is named."""
        for measure in reversed(self.measures):
            if cause is None or measure.cause == cause:
                self.measures.remove(measure)
                measure.end()
                return measure
        return None

    def outdated(self, optimizer: Optimizer) -> str | None:
        """The cause of a lowered rate whose cause is gone: the user's own rate has dropped, at
        once, by about as much."""
        if not self.measures:
            self._last_rates.clear()
            return None
        rate = max((float(group.get("lr", 0.0)) for group in optimizer.param_groups), default=0.0)
        before = self._last_rates.get(id(optimizer), rate)
        self._last_rates[id(optimizer)] = rate
        for measure in reversed(self.measures):
            if measure.factor < 0.5 and 0 < rate <= before * sqrt(measure.factor):
                return measure.cause
        return None

    def lend(self, optimizer: Optimizer, cycle: Cycle) -> None:
        """Put the lowered rates in place for the step that follows."""
        self.give_back()  # if the last step raised an error
        factor = self.factor
        if factor == 1.0:
            return
        for group in optimizer.param_groups:
            if "lr" in group:
                self._borrowed.append((group, group["lr"]))
                group["lr"] = group["lr"] * factor
                place = self._places.get(id(group))
                if place is not None:  # the record tells the rate that was used
                    cycle.scalars[f"lr/{place}"] = float(group["lr"])

    def give_back(self) -> None:
        """The user's own rates again."""
        for group, rate in self._borrowed:
            group["lr"] = rate
        self._borrowed.clear()

    def end(self) -> None:
        """Everything as the user had it."""
        self.give_back()
        while self.take_back() is not None:
            pass


def _dropouts(models: Iterable[nn.Module]) -> list[tuple[nn.Module, str]]:
    found: list[tuple[nn.Module, str]] = []
    for model in models:
        for module in model.modules():
            if isinstance(module, _DropoutNd):
                found.append((module, "p"))
            elif isinstance(module, nn.RNNBase | nn.MultiheadAttention) and module.dropout > 0:
                found.append((module, "dropout"))
    return found
