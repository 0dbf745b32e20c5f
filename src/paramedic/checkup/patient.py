"""What a check is given: a fresh copy of the model, which it may do anything to."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.parameter import is_lazy
from torch.optim import Optimizer

from paramedic.checkup.batch import Batch
from paramedic.checkup.calling import Calling, prediction_in
from paramedic.checkup.check import Skip
from paramedic.checkup.embeddings import Lookup
from paramedic.checkup.options import Options
from paramedic.checkup.subject import Subject, duplicate
from paramedic.checkup.variation import redrawn, shaken
from paramedic.probe.randomness import seed


class Patient:
    """A copy of the model and its loss, and the ways to run them.

    Every run begins at the same place of the random streams, so that two runs differ only by
    what was changed between them.
    """

    def __init__(self, subject: Subject) -> None:
        self.subject = subject
        self.model, self.loss_fn = duplicate(subject.model, subject.loss_fn)
        _make_dense(self.model)

    # -- what there is ---------------------------------------------------------------------------

    @property
    def options(self) -> Options:
        return self.subject.options

    @property
    def optimizer(self) -> Optimizer | None:
        """The caller's own, only to be read."""
        return self.subject.optimizer

    @property
    def batch(self) -> Batch:
        """A few samples."""
        return self.subject.small

    @property
    def whole(self) -> Batch:
        """All samples."""
        return self.subject.batch

    @property
    def calling(self) -> Calling:
        """How the model is called, or `Skip`."""
        if self.subject.calling is None:
            raise Skip("the model cannot be called with this batch (see forward-shapes)")
        return self.subject.calling

    @property
    def lookups(self) -> dict[int, Lookup]:
        """The inputs that are indices into a table of embeddings, by their place."""
        return self.subject.lookups

    @property
    def language_model(self) -> bool:
        """Whether there is one prediction per token, of the token that follows."""
        return self.subject.language_model

    def time_left(self) -> float:
        """Seconds until the check-up should be over."""
        return self.subject.deadline - time.monotonic()

    def trainable(self, model: nn.Module | None = None) -> list[tuple[str, nn.Parameter]]:
        """The parameters that should learn, with their names."""
        named = (model or self.model).named_parameters()
        return [(name, one) for name, one in named if one.requires_grad and not is_lazy(one)]

    # -- running ---------------------------------------------------------------------------------

    def another(self) -> nn.Module:
        """One more fresh copy of the model."""
        copied = duplicate(self.subject.model, None)[0]
        if copied is self.subject.model:
            raise Skip("the model cannot be copied, and this check needs a copy")
        return _make_dense(copied)

    def shaken(self, amount: float = 0.5, draw: int = 1) -> nn.Module:
        """A copy in which no weight is zero by design."""
        seed(draw)
        return shaken(self.another(), amount)

    def output(
        self, batch: Batch | None = None, *, model: nn.Module | None = None, training: bool = False
    ) -> Any:
        """What the model gives, with its graph."""
        calling = self.calling
        if training and calling.training_problem:
            raise Skip(f"in training mode the model raises {calling.training_problem}")
        runs = model or self.model
        runs.train(training)
        nest = (batch or self.batch).fresh()
        seed()
        return calling.output(runs, nest)

    def run(self, *, model: nn.Module | None = None, training: bool = False) -> None:
        """A forward pass for the sake of what is watched meanwhile, without a graph."""
        with torch.no_grad():
            self.output(model=model, training=training)

    def prediction(
        self, batch: Batch | None = None, *, model: nn.Module | None = None, training: bool = False
    ) -> Tensor:
        """The main tensor of the output, without a graph."""
        with torch.no_grad():
            found = prediction_in(self.output(batch, model=model, training=training))
        if found is None:
            raise Skip("the model gives no tensor of real numbers with a sample axis")
        return found

    def loss(
        self, batch: Batch | None = None, *, model: nn.Module | None = None, training: bool = True
    ) -> Tensor:
        """The loss with its graph, or `Skip` if there is none."""
        chosen = batch or self.batch
        output = self.output(chosen, model=model, training=training)
        return self.calling.loss(self.loss_fn, output, chosen.fresh())

    def objective(
        self, batch: Batch | None = None, *, model: nn.Module | None = None, training: bool = True
    ) -> Tensor:
        """The loss, or where there is none a random mix of the outputs: anything to go down."""
        chosen = batch or self.batch
        output = self.output(chosen, model=model, training=training)
        try:
            return self.calling.loss(self.loss_fn, output, chosen.fresh())
        except Skip:
            found = prediction_in(output)
            if found is None:
                raise
            return (found * torch.randn_like(found)).mean()

    # -- changing what goes in -------------------------------------------------------------------

    def variable(self) -> tuple[int, ...]:
        """The inputs that may be changed freely: tokens, and otherwise real numbers.

        Masks, lengths and other indices are left alone: not every value of them has a meaning.
        """
        if self.lookups:
            return tuple(self.lookups)
        inputs = [(place, self.batch.tensors[place]) for place in self.batch.inputs]
        # Whole numbers along three axes and more are pixels.
        real = [place for place, one in inputs if one.is_floating_point() or one.dim() > 2]
        if not real:
            raise Skip("no input is known to be free to change: neither real numbers nor tokens")
        return tuple(real)

    @property
    def can_vary(self) -> bool:
        """Whether some input may be changed freely."""
        try:
            return bool(self.variable())
        except Skip:
            return False

    def varied(self, draw: int = 2) -> Batch:
        """The batch with all free inputs drawn anew."""
        return self.replaced(lambda old, new: new, draw)

    def replaced(self, mix: Callable[[Tensor, Tensor], Tensor], draw: int = 2) -> Batch:
        """The batch with `mix(old, new)` in place of each free input."""
        seed(draw)
        changed = {}
        for place in self.variable():
            old = self.batch.tensors[place]
            lookup = self.lookups.get(place)
            changed[place] = mix(old, redrawn(old, lookup.rows if lookup else None))
        return self.batch.with_tensors(changed)

    def by_sample(self, prediction: Tensor, batch: Batch | None = None) -> Tensor:
        """A prediction as one row per sample, or `Skip` if it cannot be told apart that way."""
        chosen = batch or self.batch
        count, axis = chosen.size, chosen.axis
        if prediction.dim() > axis and prediction.shape[axis] == count:
            return prediction.movedim(axis, 0).reshape(count, -1)
        if prediction.dim() and count and prediction.shape[0] % count == 0:
            return prediction.reshape(count, -1)
        raise Skip(f"an output of shape {list(prediction.shape)} has no axis of {count} samples")


def _make_dense(model: nn.Module) -> nn.Module:
    """Gradients of embeddings as plain tensors: sparse ones lack most operations."""
    for module in model.modules():
        if isinstance(module, nn.Embedding | nn.EmbeddingBag):
            module.sparse = False
    return model
