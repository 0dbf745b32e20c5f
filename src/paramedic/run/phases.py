"""Epochs and validation, as far as they show in what a program calls.

An evaluation is made of loss functions that are called without gradients between two steps of
the optimizer. It is known by its data: the data set of the loader that served them, or the
memory of the targets. What the training itself learns from is not a validation. An epoch ends
with an evaluation, or when the loader of the training has no more batches. Evaluations that only
count right answers are for `guesses`.
"""

from __future__ import annotations

import math
import threading
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import Tensor
from torch.utils.data import dataloader

from paramedic.probe.guard import Guard
from paramedic.run.guesses import Guesses
from paramedic.run.patching import Function, Patches

_FIRST_LOSSES = 8  # calls in training whose data are noted
_LABELS = ("cross_entropy", "nll_loss")


@dataclass(slots=True)
class Evaluation:
    """What was computed on one set of data."""

    losses: list[tuple[Tensor, int]] = field(default_factory=list)  # and the number of samples
    right: list[Tensor] = field(default_factory=list)  # labels that were guessed
    guessed: list[Tensor] = field(default_factory=list)  # labels that there were
    answers: list[Tensor] = field(default_factory=list)  # right ones, of evaluations without a loss
    answered: int = 0

    def values(self, prefix: str) -> dict[str, float]:
        """The mean loss and the accuracy."""
        samples = sum(count for _, count in self.losses)
        total = sum(float(loss) * count for loss, count in self.losses)
        found = {f"{prefix}_loss": total / samples} if samples else {}
        if guessed := sum(map(float, self.guessed)):
            found[f"{prefix}_acc"] = sum(map(float, self.right)) / guessed
        elif self.answered:
            found[f"{prefix}_acc"] = float(sum(map(float, self.answers))) / self.answered
        return {name: value for name, value in found.items() if not math.isnan(value)}


class Phases(threading.local):
    """Follows loaders and losses; `take` gives the numbers of an epoch when one has ended. Each
    thread of the program has its own: made anew by these arguments, with nothing noted."""

    def __init__(
        self, guard: Guard | None = None, all_guesses: list[Guesses] | None = None
    ) -> None:
        self._guard = guard or Guard(strict=True)
        self.guesses = Guesses(self._guard, self._guessed)
        if all_guesses is not None:
            all_guesses.append(self.guesses)
        self._served: int | None = None  # the data set that served since the last step
        self._learned: set[int] = set()  # data that the training learns from
        self._noted = 0
        self.noting = True  # whether the losses of the training are still of interest
        self._evaluations: dict[int, Evaluation] = {}
        self._validation: int | None = None
        self._ended = False

    def open(self, patches: Patches) -> None:
        """Start to follow the loaders."""
        patches.wrap(dataloader._BaseDataLoaderIter, "__next__", self._server)

    def _server(self, original: Function) -> Function:
        def __next__(iterator: Any) -> Any:
            try:
                batch = original(iterator)
            except StopIteration:
                self._guard.attempt("epochs", self._exhausted, id(iterator._dataset))
                raise
            self._guard.attempt("epochs", self._serve, id(iterator._dataset), batch)
            return batch

        return __next__

    def _exhausted(self, served: int) -> None:
        self._ended = self._ended or served in self._learned
        self.guesses.ended()

    def _serve(self, served: int, batch: Any) -> None:
        self._served = served
        if self.guesses.awake or served not in self._learned:
            self.guesses.served(batch, learned=served in self._learned)

    def loss_called(
        self, name: str, prediction: Tensor, target: Tensor, reduction: str, result: Tensor
    ) -> None:
        """A loss function was called, in training or not."""
        if torch.is_grad_enabled() and result.requires_grad:
            if self.noting:
                self._noted += 1
                self.noting = self._noted < _FIRST_LOSSES
                self._learned.add(self._key(target))
                if name in _LABELS and _are_labels(prediction, target):
                    self.guesses.learn(prediction, target)
            return
        if torch.is_grad_enabled() or result.is_meta or type(result) is not Tensor:
            return  # somebody only wants to know a shape
        evaluation = self._evaluations.setdefault(self._key(target), Evaluation())
        count = target.shape[0] if target.dim() else 1
        evaluation.losses.append((_mean(result.detach(), reduction, count), count))
        if name in _LABELS and _are_labels(prediction, target):
            counted = target >= 0  # negative ones are there to be ignored
            evaluation.right.append(((prediction.detach().argmax(1) == target) & counted).sum())
            evaluation.guessed.append(counted.sum())

    def _guessed(self, right: Tensor, count: int) -> None:
        """The model has answered a batch of a loader."""
        if self._served is not None:
            evaluation = self._evaluations.setdefault(self._served, Evaluation())
            evaluation.answers.append(right)
            evaluation.answered += count

    def _key(self, target: Tensor) -> int:
        if self._served is not None:
            return self._served
        return target.untyped_storage().data_ptr()

    def trained(self) -> bool:
        """A step of the optimizer begins: what was served belongs to it. False, and nothing is
        noted, if an epoch has ended before, which has to be taken first."""
        if self._ended or self._evaluations:
            return False
        if self._served is not None:
            self._learned.add(self._served)
            self._served = None
        if self.guesses.awake:
            self.guesses.stepped()
        return True

    def take(self) -> dict[str, float] | None:
        """The numbers of the epoch that has ended since; None if none has."""
        if not self._ended and not self._evaluations:
            return None
        evaluations, self._evaluations = self._evaluations, {}
        self._ended = False
        unseen = [key for key in evaluations if key not in self._learned]
        if self._validation not in evaluations and unseen:
            self._validation = unseen[0]
        chosen = evaluations.get(self._validation) if self._validation is not None else None
        return chosen.values("val") if chosen is not None and unseen else {}


def _mean(result: Tensor, reduction: str, count: int) -> Tensor:
    if reduction == "sum":
        return result / max(count, 1)
    return result.mean() if result.dim() else result


def _are_labels(prediction: Tensor, target: Tensor) -> bool:
    whole = not target.is_floating_point()
    return whole and prediction.dim() == target.dim() + 1 and prediction.dim() > 1
