"""Reads gradients and weights of all layers into the columns of a frame."""

from __future__ import annotations

import math
from array import array
from dataclasses import dataclass, replace
from typing import cast

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from paramedic import vocabulary
from paramedic.probe import native
from paramedic.probe.layers import Layers
from paramedic.probe.movement import Movement
from paramedic.probe.native import Vectors
from paramedic.probe.ranks import Shards
from paramedic.probe.schedule import FULL
from paramedic.probe.statistics import Rows, TensorReader
from paramedic.probe.tensors import has_memory, values
from paramedic.probe.vigil import Vigil
from paramedic.vocabulary import LAYER_STATISTICS

Columns = dict[str, NDArray[np.float32]]


@dataclass(slots=True)
class Gradients:
    """What was read of the gradients after a backward pass."""

    columns: Columns
    total: float  # the global norm
    finite: bool
    jumped: bool | None = None  # whether the vigil was startled; None if it has not seen them


class Meter:
    """Measures the parameters of `layers`. Only reads: no tensor of the user is written to."""

    def __init__(self, layers: Layers) -> None:
        self._layers = layers
        self.reset()

    def reset(self) -> None:
        """The layers changed: plan anew."""
        parameters = self._layers.parameters
        self._height = len(self._layers.rows)
        self._row_of = array("q", self._layers.row_of)
        self.shards = Shards(parameters)
        self._reader = TensorReader(self._height, self.shards)
        self._movement = Movement(self._layers)
        self.vigil = Vigil(parameters, self._row_of, self._height)

    def gradients(self, level: str, *, vigilant: bool = False) -> Gradients:
        """The statistics of all gradients there are, for the given level of look; if `vigilant`,
        the vigil is shown them where that costs next to nothing."""
        grads = [parameter.grad for parameter in self._layers.parameters]
        rows = self._row_of
        vectors = native.vectors_of(grads)
        if vectors is None:  # something is missing, or is not a plain tensor of the host
            rows = array(
                "q", [row for row, grad in zip(rows, grads, strict=True) if grad is not None]
            )
            grads = [grad for grad in grads if grad is not None]
            if not grads:
                return Gradients({}, math.nan, finite=True)
            vectors = native.vectors_of(grads)
        there = cast(list[Tensor], grads)
        if level == FULL:
            return self._statistics(there, rows, vectors)
        return self._norms(there, rows, vectors, vigilant and vectors is not None)

    def _statistics(self, grads: list[Tensor], rows: Rows, vectors: Vectors | None) -> Gradients:
        found = self._reader.statistics(grads, rows, vectors)
        columns = {f"grad_{name}": column for name, column in found.items()}
        if vectors is None:
            # In half precision, and over several ranks, norms alone are computed more finely.
            norms = self._norms(grads, rows, vectors)
            return replace(norms, columns={**columns, **norms.columns})
        total = math.sqrt(np.nansum(columns["grad_norm"].astype(np.float64) ** 2))
        return Gradients(columns, total, finite=math.isfinite(total))

    def _norms(
        self, grads: list[Tensor], rows: Rows, vectors: Vectors | None, shown: bool = False
    ) -> Gradients:
        vigil = self.vigil
        norms, total = self._reader.norms(grads, rows, vectors, vigil.place if shown else None)
        columns = {"grad_norm": norms[0], "grad_nonfinite": norms[1]}
        jumped = vigil.was_shown() if shown else None
        return Gradients(columns, total, math.isfinite(total), jumped)

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
    """Whether this rank's part of the tensor has a NaN or an infinity; False if it is freed."""
    if not has_memory(tensor):
        return False
    if native.kernel is not None and native.is_dense(tensor):
        return not native.kernel.finite(tensor.data_ptr(), tensor.numel())
    flat = values(tensor).flat
    return not bool(torch.isfinite(flat.sum())) and not bool(torch.isfinite(flat).all())
