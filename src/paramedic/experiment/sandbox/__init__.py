"""A place where what we execute for the user touches nothing of the user's.

`Sandbox.run` runs a command there; `entering.enter` takes a process that was just forked there.
"""

from __future__ import annotations

from paramedic.experiment.sandbox.ended import Ended
from paramedic.experiment.sandbox.limits import Limits
from paramedic.experiment.sandbox.possible import How
from paramedic.experiment.sandbox.sandbox import Sandbox

__all__ = ["Ended", "How", "Limits", "Sandbox"]
