"""The display that `display=True` means."""

from __future__ import annotations

import importlib

from paramedic.probe.attach import is_off
from paramedic.probe.audience import Display

# By its name, like a plug-in: how a run looks is none of the probe's business.
_HOME, _NAME = "paramedic.report.display", "Terminal"


def chosen(display: bool | Display) -> Display | None:
    """None for False, the terminal for True, else what was given."""
    if is_off() or display is False:
        return None
    if display is True:
        made: Display = getattr(importlib.import_module(_HOME), _NAME)()
        return made
    if not callable(getattr(display, "show", None)):
        raise TypeError(
            f"`display` must be True, False or something with the methods `show` and `close` but "
            f"got {type(display).__name__}."
        )
    return display
