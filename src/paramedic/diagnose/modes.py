"""Training and evaluation mode: which layers depend on it, and how a change of it is recorded."""

from __future__ import annotations

from paramedic.types import Event, Window

MODE = "mode"  # the kind of the event
STEPS = 5  # a mode that is left again earlier is not recorded
_DEPENDENT = ("Dropout", "BatchNorm", "InstanceNorm")


def depends_on_mode(kind: str) -> bool:
    """Whether a layer of this kind computes something else in evaluation mode."""
    return any(word in kind for word in _DEPENDENT)


def last_change(window: Window) -> Event | None:
    """The newest change of mode; None if all layers have been in training mode all the time, or
    if the trace is older than the recording of modes."""
    return next((event for event in reversed(window.events) if event.kind == MODE), None)
