"""The mode of dropout and batch normalisation at every step, looked at or not.

Reading `training` of a module takes less than a tenth of a microsecond, so it is read at each step
of the optimizer and compared with that of the step before. A mode that lasts becomes an event.
"""

from __future__ import annotations

from paramedic.diagnose.modes import MODE, STEPS, depends_on_mode
from paramedic.probe.layers import Layers
from paramedic.types import Event

_MOST_EVENTS = 100  # in a run; a program that changes its mode this often does so on purpose


class Modes:
    """Follows the mode of the layers that depend on it."""

    def __init__(self, layers: Layers) -> None:
        self._layers = layers
        self._events = 0
        self._recorded: frozenset[str] = frozenset()  # what was in evaluation mode, by the record
        self.refresh()

    def refresh(self) -> None:
        """The layers have changed. What is new counts as in training mode until it is read."""
        rows = [
            row
            for row in self._layers.rows
            if depends_on_mode(type(row.module).__name__) and "training" in vars(row.module)
        ]
        # The attributes themselves: asking a module for one of them takes three times as long.
        self._attributes = [vars(row.module) for row in rows]
        self._names = [row.name for row in rows]
        self._modes = [name not in self._recorded for name in self._names]
        self._since, self._open = 0, False

    def notices(self, step: int) -> bool:
        """Whether a mode that is not on the record has lasted until `step`. Called at each step:
        it is kept flat."""
        modes = [attributes["training"] for attributes in self._attributes]
        if modes != self._modes:
            self._modes, self._since, self._open = modes, step, True
        return self._open and step - self._since >= STEPS - 1

    def event(self, step: int) -> Event | None:
        """The change that was noticed; None if the record says the same already."""
        self._open = False
        evaluating = [
            name for name, training in zip(self._names, self._modes, strict=True) if not training
        ]
        if frozenset(evaluating) == self._recorded or self._events >= _MOST_EVENTS:
            return None
        self._recorded = frozenset(evaluating)
        self._events += 1
        data = {"since": self._since, "evaluating": evaluating}
        return Event(step, MODE, _sentence(self._since, evaluating), data)


def _sentence(since: int, evaluating: list[str]) -> str:
    if not evaluating:
        return f"Since step {since} all layers are in training mode."
    first = f"`{evaluating[0]}`"
    some = first if len(evaluating) == 1 else f"{len(evaluating)} layers, {first} first,"
    return f"Since step {since} training goes on with {some} in evaluation mode."
