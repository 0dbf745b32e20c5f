"""The accuracy of evaluations that compute no loss and only count right answers.

Counting is code of the user's own and cannot be seen. But where in training the loss compared the
model's own output with one part of a loader's batch as labels, the same part of a batch of other
data, and what the model answers to that batch without gradients, tell the accuracy as well.
Whatever looks different is left alone: no loader, other shapes, several models, compiled ones.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.modules.module import register_module_forward_hook

from paramedic.probe.compiler import never_traced
from paramedic.probe.guard import Guard, aside

_PATIENCE = 8  # steps of the training from which the labels are learned


class Guesses:
    """Tells `on_guesses` how many answers to a batch were right, and of how many."""

    def __init__(self, guard: Guard, on_guesses: Callable[[Tensor, int], None]) -> None:
        self.guard = guard
        self._on_guesses = on_guesses
        self._model: Callable[[], nn.Module | None] = lambda: None
        self._handle: Any = None
        self.awake = False  # whether answers of the model are looked at
        # Weak: what the program lets go of must not live longer for us.
        self._batch: dict[Any, weakref.ref[Tensor]] = {}
        self._output: Callable[[], Tensor | None] = _nothing
        self._left = 0  # steps from which something may be learned
        self._place: Any = None  # of the labels in a batch
        self._classes = 0

    def follow(self, model: nn.Module) -> None:
        """This is the model that is trained from now on."""
        self._model = weakref.ref(model)
        self._place, self._left = None, _PATIENCE
        self._arm()

    def close(self) -> None:
        """See nothing more, now and later."""
        self._model, self._left, self._place = lambda: None, 0, None
        self._rest()

    def _arm(self) -> None:
        if self._handle is None:  # for all modules: nothing is stored in the model itself
            self._handle = register_module_forward_hook(self._on_forward)
            self.awake = True

    def _rest(self) -> None:
        self._batch, self._output = {}, _nothing
        if self._handle is not None:
            self._handle.remove()
            self._handle = None
            self.awake = False

    # -- what happens ------------------------------------------------------------------------

    def served(self, batch: Any, *, learned: bool) -> None:
        """A loader has served a batch, of data that the training learns from or of others."""
        if self._left:
            self._batch = _weak_parts(batch)
        elif self._place is not None and not learned:
            self._batch = _weak_parts(batch)
            self._arm()
        elif self._handle is not None:
            self._rest()

    def ended(self) -> None:
        """A loader has no more batches, or the optimizer steps: an evaluation is over."""
        if self._handle is not None:
            self._batch, self._output = {}, _nothing
            if not self._left:
                self._rest()

    def stepped(self) -> None:
        """The optimizer steps."""
        self._left = max(self._left - 1, 0)
        self.ended()

    @aside("guesses")
    def learn(self, prediction: Tensor, target: Tensor) -> None:
        """In training these scores were compared with these labels."""
        if (
            self._left
            and prediction is self._output()
            and prediction.dim() == 2
            and target.dim() == 1
        ):
            for place, reference in self._batch.items():
                part = reference()
                if part is not None and _is_same(part, target):
                    self._place, self._classes, self._left = place, prediction.shape[1], 0
                    break

    @never_traced
    def _on_forward(self, module: nn.Module, args: Any, output: Any) -> None:
        if module is self._model() and type(output) is Tensor:
            self._answered(output)

    @aside("guesses")
    def _answered(self, output: Tensor) -> None:
        if torch.is_grad_enabled():
            self._output = weakref.ref(output) if self._left else _nothing
        elif self._place is not None and self._batch:
            labels = self._batch.get(self._place, _nothing)()
            self._batch = {}  # the first answer counts
            if _fits(output, labels, self._classes):
                assert labels is not None
                right = (output.argmax(1) == labels.to(output.device)).sum()
                self._on_guesses(right, len(labels))


def _nothing() -> None:
    """A reference to nothing."""


def _weak_parts(batch: Any) -> dict[Any, weakref.ref[Tensor]]:
    return {place: weakref.ref(part) for place, part in _parts(batch)}


def _parts(batch: Any) -> Iterator[tuple[Any, Tensor]]:
    """The tensors of a batch by their places in it."""
    if isinstance(batch, Mapping):
        places: Any = batch.items()
    else:
        places = enumerate(batch) if isinstance(batch, tuple | list) else ()
    return ((place, part) for place, part in places if isinstance(part, Tensor))


def _is_same(part: Tensor, target: Tensor) -> bool:
    if part is target:
        return True
    alike = part.shape == target.shape and part.dtype == target.dtype
    return alike and torch.equal(part.to(target.device), target)


def _fits(output: Tensor, labels: Tensor | None, classes: int) -> bool:
    if labels is None or labels.is_floating_point() or labels.dim() != 1:
        return False
    return output.shape == (len(labels), classes)
