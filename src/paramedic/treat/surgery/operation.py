"""What an edit of a model gives back, and how it says no."""

from __future__ import annotations

from dataclasses import dataclass

from torch import nn


@dataclass(frozen=True, slots=True, eq=False)
class Operation:
    """A model that was operated on.

    `model` is a new one, the original is untouched; shared modules and tied weights stay so.
    `description` says in one sentence what was changed where, `code` says the same in Python, and
    `layers` are the names of the places that were changed, as they were called before.
    """

    model: nn.Module
    description: str
    code: str
    layers: tuple[str, ...]


class Refusal(ValueError):
    """An edit that cannot be made; the message says what, where, and what to do instead.

    `steps` are those of training that it took to find this out.
    """

    def __init__(self, message: str, steps: int = 0) -> None:
        super().__init__(message)
        self.steps = steps


def told(error: BaseException) -> str:
    """An error in one line."""
    lines = str(error).strip().splitlines()
    return f"{type(error).__name__}: {lines[0] if lines else 'no message'}".rstrip(". ")
