"""Functions of torch that are wrapped while a program is watched, and put back afterwards."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

Function = Callable[..., Any]


class Patches:
    """Wrappers in place of functions; the newest is taken out first."""

    def __init__(self) -> None:
        self._placed: list[tuple[Any, str, Function | None, Function]] = []

    def wrap(self, owner: Any, name: str, make: Callable[[Function], Function]) -> None:
        """Replace `owner.name` by what `make` gives for it; names and texts stay."""
        original = getattr(owner, name)
        wrapper = functools.update_wrapper(make(original), original)
        # A function that is compiled by `torch.jit.script` is compiled as it was.
        wrapper.__dict__.update(__script_if_tracing_wrapper=True, __original_fn=original)
        inherited = name not in vars(owner)
        setattr(owner, name, wrapper)
        self._placed.append((owner, name, None if inherited else original, wrapper))

    def remove(self) -> None:
        """Put back what was there, unless somebody wrapped it again meanwhile: then ours stays
        below theirs and does nothing more."""
        while self._placed:
            owner, name, original, wrapper = self._placed.pop()
            if getattr(owner, name) is not wrapper:
                continue
            if original is None:  # it was a base's, and is again
                delattr(owner, name)
            else:
                setattr(owner, name, original)
