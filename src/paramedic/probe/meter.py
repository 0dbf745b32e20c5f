"""Reads gradients and weights of all layers into the columns of a frame."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from paramedic import vocabulary
from paramedic.probe import native
from paramedic.probe.layers import Layers
from paramedic.probe.movement import Movement
from paramedic.probe.ranks import Shards
from paramedic.probe.schedule import FULL
from paramedic.probe.statistics import TensorReader
from paramedic.probe.tensors import values
from paramedic.vocabulary import LAYER_STATISTICS

Columns = dict[str, NDArray[np.float32]]


@dataclass(slots=True)
class Gradients:
    """What was read of the gradients after a backward pass."""

    columns: Columns
    total: float  # the global norm
    finite: bool


class Meter:
    """Measures the parameters of `layers`. Only reads: no tensor of the user is written to."""

    def __init__(self, layers: Layers) -> None:
        self._layers = layers
        self.reset()

    def reset(self) -> None:
        """The layers changed: plan anew."""
        parameters = self._layers.parameters
        self._height = len(self._layers.rows)
        self._row_of = np.array(self._layers.row_of, np.int64)
        self.shards = Shards(parameters)
        self._reader = TensorReader(self._height, self.shards)
        self._movement = Movement(self._layers)

    def gradients(self, level: str) -> Gradients:
        """The statistics of all gradients there are, for the given level of look."""
        grads = [parameter.grad for parameter in self._layers.parameters]
        present, rows = [grad for grad in grads if grad is not None], self._row_of
        if not present:
            return Gradients({}, float("nan"), finite=True)
        if len(present) < len(grads):
            rows = rows[[grad is not None for grad in grads]]
        vectors = native.vectors_of(present)
        (norms, bad), total = self._reader.norms(present, rows, vectors)
        columns = {}
        if level == FULL:
            found = self._reader.statistics(present, rows, vectors)
            columns = {f"grad_{name}": column for name, column in found.items()}
        columns["grad_norm"], columns["grad_nonfinite"] = norms, bad
        return Gradients(columns, total, finite=math.isfinite(total))

    def weights(self) -> Columns:
        """The statistics of all weights before they move; keeps them for `updates`."""
        parameters = self._layers.parameters
        vectors = native.vectors_of(parameters)
        self._movement.begin(vectors)
        found = self._reader.statistics(parameters, self._row_of, vectors)
        return {f"weight_{name}": found[name] for name in _WEIGHTS}

    def updates(self) -> Columns:
        """How far the step moved each layer, relative to the size of its weights."""
        return self._movement.end()


_WEIGHTS = tuple(
    name.removeprefix("weight_") for name in vocabulary.WEIGHTS if name.startswith("weight_")
)


def unscale(columns: Columns, scale: float) -> Columns:
    """Undo the scale that a `GradScaler` put on gradients."""
    if scale == 1.0:
        return columns
    with np.errstate(over="ignore", under="ignore", invalid="ignore"):
        return {
            name: (column / np.float64(scale) ** LAYER_STATISTICS[name].degree).astype(np.float32)
            for name, column in columns.items()
        }


def any_nonfinite(tensor: Tensor) -> bool:
    """Whether this rank's part of the tensor has a NaN or an infinity."""
    flat = values(tensor).flat
    return not bool(torch.isfinite(flat.sum())) and not bool(torch.isfinite(flat).all())
