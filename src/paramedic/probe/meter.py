"""Reads gradients and weights of all layers into the columns of a frame."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from paramedic.probe.layers import Layers
from paramedic.probe.movement import Movement
from paramedic.probe.native import Vectors
from paramedic.probe.ranks import Shards, sharded_norms
from paramedic.probe.schedule import FULL
from paramedic.probe.statistics import (
    Table,
    TensorReader,
    norm,
    ten_statistics,
    tensor_norms,
    vectors_of,
)
from paramedic.probe.tensors import is_sharded, values
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
        self._height = len(self._layers.rows)
        self._row_of = np.array(self._layers.row_of, np.int64)
        self._reader = TensorReader(self._height)
        self._movement = Movement(self._layers)
        self.shards = Shards(self._layers.parameters)

    def gradients(self, level: str) -> Gradients:
        """The statistics of all gradients there are, for the given level of look."""
        all_grads = [parameter.grad for parameter in self._layers.parameters]
        grads, rows = [grad for grad in all_grads if grad is not None], self._row_of
        if not grads:
            return Gradients({}, float("nan"), finite=True)
        if len(grads) < len(all_grads):
            rows = rows[[grad is not None for grad in all_grads]]
        vectors = vectors_of(grads)
        norms = _sharded_norms(grads) if self.shards else tensor_norms(grads, vectors)
        columns = self._norm_columns(norms, rows)
        if level == FULL:
            columns.update(self._gradient_columns(grads, rows, vectors))
        total = math.sqrt(float(np.dot(norms, norms)))
        return Gradients(columns, total, finite=math.isfinite(total))

    def _norm_columns(self, norms: NDArray[np.float64], rows: NDArray[np.int64]) -> Columns:
        squares = np.bincount(rows, norms * norms, self._height)
        bad = np.isinf(squares).astype(np.float32)
        absent = np.ones(self._height, np.bool_)
        absent[rows] = False
        squares[absent] = bad[absent] = np.nan
        return {"grad_norm": _narrow(np.sqrt(squares)), "grad_nonfinite": bad}

    def _gradient_columns(
        self, grads: Sequence[Tensor], rows: NDArray[np.int64], vectors: Vectors | None
    ) -> Columns:
        table = self._table(grads, rows, vectors)
        columns = ten_statistics("grad", table)
        moments = table.moments
        count = np.where(moments.count > 0, moments.count, np.nan)
        columns["grad_mean_abs"] = _narrow(moments.absolute / count)
        columns["grad_max_abs"] = np.maximum(-columns["grad_min"], columns["grad_max"])
        return columns

    def weights(self) -> Columns:
        """The statistics of all weights, before the optimizer moves them."""
        parameters = self._layers.parameters
        table = self._table(parameters, self._row_of, vectors_of(parameters))
        columns = ten_statistics("weight", table)
        moments = table.moments
        known = moments.count + moments.bad > 0
        columns["weight_norm"] = _narrow(np.where(known, norm(moments), np.nan))
        columns["weight_nonfinite"] = _narrow(np.where(known, moments.bad > 0, np.nan))
        return columns

    def _table(
        self, tensors: Sequence[Tensor], rows: NDArray[np.int64], vectors: Vectors | None
    ) -> Table:
        table = self._reader.table(tensors, rows, vectors)
        if self.shards:
            table.moments = self.shards.merge(table.moments)
        return table

    def remember(self) -> None:
        """The weights are about to move."""
        self._movement.begin()

    def updates(self) -> Columns:
        """How far the step moved each layer, relative to the size of its weights."""
        return self._movement.end()


def _narrow(values: NDArray[np.float64]) -> NDArray[np.float32]:
    with np.errstate(over="ignore"):
        return values.astype(np.float32)


def _sharded_norms(grads: Sequence[Tensor]) -> NDArray[np.float64]:
    """Norms over all shards; some tensors of a sharded model may be whole."""
    flags = np.array([is_sharded(grad) for grad in grads])
    result = np.empty(len(grads))
    if flags.any():
        result[flags] = sharded_norms([grads[place] for place in np.flatnonzero(flags).tolist()])
    if not flags.all():
        whole = [grads[place] for place in np.flatnonzero(~flags).tolist()]
        result[~flags] = tensor_norms(whole, vectors_of(whole))
    return result


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
