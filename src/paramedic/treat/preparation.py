"""What is done to inputs or targets before the model sees them, fitted on training data only."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence

from torch import Tensor

Change = Callable[[Tensor], Tensor]


class Preparation(ABC):
    """One change of the data, such as standardising; a frozen dataclass, so that it prints as code.

    `fit` gets the training values and gives a function that does the same to any batch: the
    validation data has no other way into it, so nothing of it can leak.
    """

    @abstractmethod
    def fit(self, values: Tensor) -> Change:
        """Learn what is needed from the training values; gives what is done to each batch."""

    def code(self) -> str:
        """How it is written in a plan."""
        return repr(self)


def fitted(preparations: Sequence[Preparation], values: Tensor) -> Change:
    """All of them in order, each fitted on what the ones before make of the training values."""
    changes: list[Change] = []
    for preparation in preparations:
        change = preparation.fit(values)
        values = change(values)
        changes.append(change)

    def change_all(batch: Tensor) -> Tensor:
        for change in changes:
            batch = change(batch)
        return batch

    return change_all
