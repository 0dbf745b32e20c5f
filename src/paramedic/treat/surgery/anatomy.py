"""Questions to a survey: which activations are hidden, what feeds them, what reads a layer."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from torch import nn

from paramedic.treat.surgery.kinds import BOUNDED, ELEMENTWISE, KINDS
from paramedic.treat.surgery.survey import Step, Survey

# What hands on what it gets, more or less.
_PASSES = frozenset({"shape", "pool", "dropout", "add"})


@dataclass(frozen=True, slots=True)
class Site:
    """A place that applies an activation: a module, or a call in the code of one.

    `steps` are its calls in the forward pass; `place` is -1 for a module.
    """

    kind: str
    name: str
    place: int
    steps: tuple[Step, ...]

    @property
    def is_module(self) -> bool:
        return self.place < 0

    def label(self, model: nn.Module) -> str:
        """As a user calls it: the model itself goes by its class."""
        return self.name or type(model).__name__


class Anatomy:
    """A survey that can be asked."""

    def __init__(self, survey: Survey) -> None:
        self.survey = survey
        self.steps = survey.steps
        self._readers: list[list[Step]] = [[] for _ in self.steps]
        for step in self.steps:
            for source in set(step.sources):
                self._readers[source].append(step)

    def readers(self, step: Step) -> Sequence[Step]:
        """The steps that read what a step made."""
        return self._readers[step.order]

    def calls(self, name: str) -> list[Step]:
        """The calls of a module."""
        return [step for step in self.steps if step.name == name and step.module is not None]

    def sites(self) -> list[Site]:
        """Every activation, in the order of the first call."""
        found: dict[tuple[str, int], list[Step]] = {}
        for step in self.steps:
            if step.kind in KINDS:
                found.setdefault((step.name, step.place), []).append(step)
        return [
            Site(steps[0].kind, name, place, tuple(steps)) for (name, place), steps in found.items()
        ]

    def output_step(self) -> Step | None:
        """What made the output, but for changes of its shape; None if that was the input."""
        step = None if self.survey.output is None else self.steps[self.survey.output]
        while step is not None and step.kind in ("shape", "dropout"):
            step = self.steps[step.sources[0]] if step.sources else None
        return step

    def output_site(self) -> Site | None:
        """The activation that the model ends in."""
        last = self.output_step()
        return next((site for site in self.sites() if last in site.steps), None)

    def hidden(self) -> list[Site]:
        """Activations between layers: not that of the output, no gates and no attention."""
        last = self.output_step()
        return [
            site
            for site in self.sites()
            if site.kind in ELEMENTWISE
            and any(step is not last and not self._is_gate(step) for step in site.steps)
        ]

    def _is_gate(self, step: Step) -> bool:
        """What is multiplied with another signal opens and closes it: it has to be bounded."""
        return step.kind in BOUNDED and any(
            reader.kind == "multiply" and len(set(reader.sources)) > 1
            for reader in self.downstream(step, frozenset({"shape", "pool"}))
        )

    def upstream(self, step: Step, passes: frozenset[str] = _PASSES) -> list[Step]:
        """The nearest steps before this one that do more than hand on."""
        found: dict[int, Step] = {}
        waiting = list(step.sources)
        seen: set[int] = set()
        while waiting:
            order = waiting.pop()
            if order in seen:
                continue
            seen.add(order)
            before = self.steps[order]
            if before.kind in passes and before.sources:
                waiting += before.sources
            else:
                found[order] = before
        return [found[order] for order in sorted(found)]

    def downstream(self, step: Step, passes: frozenset[str] = _PASSES) -> Iterator[Step]:
        """The nearest steps after this one that do more than hand on."""
        waiting = list(self.readers(step))
        seen: set[int] = set()
        while waiting:
            after = waiting.pop(0)
            if after.order in seen:
                continue
            seen.add(after.order)
            if after.kind in passes:
                waiting += self.readers(after)
            else:
                yield after

    def activation_after(self, step: Step) -> str | None:
        """The activation that what a layer makes goes through first, if any."""
        for after in self.downstream(step, _PASSES | {"norm"}):
            if after.kind in KINDS:
                return after.kind
        return None
