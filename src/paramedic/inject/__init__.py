"""Faults on purpose: the ground truth for tests and benchmarks.

`paramedic.inject` is the name of this room and of its one call, so the room itself can be called,
whichever of the two Python finds under that name.
"""

from __future__ import annotations

import sys
from types import ModuleType
from typing import Any


class _Room(ModuleType):
    """A package that passes a call on to the function of its name."""

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        from paramedic.inject.injecting import inject

        return inject(*args, **kwargs)


sys.modules[__name__].__class__ = _Room
