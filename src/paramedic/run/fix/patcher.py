"""What a patcher is: from a remedy to patches of the user's source."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

import libcst as cst

from paramedic.run.fix.patch import Patch
from paramedic.run.fix.source import Source, called
from paramedic.run.outcome import Record
from paramedic.run.places import Place
from paramedic.run.sources import BACKWARD, LOSS, MODEL, OPTIMIZER, STEP
from paramedic.types import Finding, Remedy


@dataclass(slots=True)
class Job:
    """A remedy to be made into patches: what was found, where, and the program's arguments."""

    remedy: Remedy
    finding: Finding
    record: Record
    arguments: Sequence[str] = ()
    _sources: dict[str, Source] = field(default_factory=dict)

    def source(self, place: Place) -> Source:
        """The file of a place, parsed once."""
        if place.file not in self._sources:
            self._sources[place.file] = Source(Path(place.file))
        return self._sources[place.file]

    def patch(self, source: Source, after: str) -> Patch:
        """A patch of a file."""
        return Patch(self.remedy, source.path, source.text, after)

    # -- calls of the program ----------------------------------------------------------------

    def optimizer_call(self) -> tuple[Source, cst.Call] | None:
        """The call that makes the optimizer."""
        name = (
            str(self.record.chart.optimizers[0].get("name")) if self.record.chart.optimizers else ""
        )
        return self._call(OPTIMIZER, called(name))

    def step_call(self) -> tuple[Source, cst.Call] | None:
        """`optimizer.step()`."""
        return self._call(STEP, called("step"))

    def backward_call(self) -> tuple[Source, cst.Call] | None:
        """`loss.backward()`."""
        return self._call(BACKWARD, called("backward"))

    def loss_call(self) -> tuple[Source, cst.Call] | None:
        """The call of the loss function: the outermost of its line with two arguments."""
        return self._call(LOSS, lambda call: len(call.args) >= 2, outermost=True)

    def model_call(self) -> tuple[Source, cst.Call] | None:
        """`model(x)`: the call of its line by the name that the model has there."""
        name = self.record.called.rpartition(".")[2]
        return self._call(MODEL, called(name)) if name else None

    def _call(
        self, kind: str, wanted: Callable[[cst.Call], bool], *, outermost: bool = False
    ) -> tuple[Source, cst.Call] | None:
        place = self.record.places.get(kind)
        if place is None:
            return None
        source = self.source(place)
        if outermost:
            found = next(iter(source.all_at(place.line, cst.Call, wanted)), None)
        else:
            found = source.at(place.line, cst.Call, wanted)
        return None if found is None else (source, found)


Patcher = Callable[[Job], Iterator[Patch]]


@cache
def patchers() -> dict[str, Patcher]:
    """By the slug of a remedy."""
    from paramedic.run.fix.patchers import initial, inputs, layers, loop, losses, optimizer

    return {
        "lower-rate": optimizer.scale_rate,
        "raise-rate": optimizer.scale_rate,
        "change-optimizer": optimizer.change_class,
        "minimise-loss": optimizer.minimise,
        "register-parameters": optimizer.all_parameters,
        "weight-decay": optimizer.weight_decay,
        "clip-gradients": loop.clip,
        "zero-grad": loop.zero_grad,
        "train-mode": loop.train_mode,
        "fix-shape": losses.fix_shape,
        "loss-function": losses.other_loss,
        "robust-loss": losses.robust,
        "output-activation": layers.output_activation,
        "replace-activation": layers.replace_activation,
        "more-dropout": layers.more_dropout,
        "normalise-inputs": inputs.standardise,
        "reinitialise": initial.reinitialise,
    }
