"""Reads gradients and weights of all layers into the columns of a frame."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from paramedic.probe.layers import Layers
from paramedic.probe.ranks import Shards, sharded_norms
from paramedic.probe.schedule import FULL
from paramedic.probe.statistics import Survey, Table, norm, ten_statistics, tensor_norms
from paramedic.probe.tensors import Values, is_sharded, local, values
from paramedic.vocabulary import LAYER_STATISTICS

Columns = dict[str, NDArray[np.float32]]

_KEPT = 2**20  # weights remembered over a step, to see how far they moved


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
        self._surveys: dict[tuple[int, ...], Survey] = {}
        self._before: Tensor | None = None
        self._kept_starts = row_starts((), ())
        self.shards = Shards(layers.parameters)

    def reset(self) -> None:
        """The layers changed: plan anew."""
        self._surveys.clear()
        self._before = None
        self.shards = Shards(self._layers.parameters)

    def gradients(self, level: str) -> Gradients:
        """The statistics of all gradients there are, for the given level of look."""
        pairs = [
            (parameter.grad, row)
            for parameter, row in zip(self._layers.parameters, self._layers.row_of, strict=True)
            if parameter.grad is not None
        ]
        if not pairs:
            return Gradients({}, float("nan"), finite=True)
        grads, rows = [pair[0] for pair in pairs], [pair[1] for pair in pairs]
        found = [values(grad) for grad in grads]
        norms = _norms(grads, found)
        columns = self._norm_columns(norms, np.array(rows))
        if level == FULL:
            columns.update(self._gradient_columns(found, rows))
        total = float(np.sqrt(np.sum(norms**2)))
        return Gradients(columns, total, finite=bool(np.isfinite(norms).all()))

    def _norm_columns(self, norms: NDArray[np.float64], rows: NDArray[np.intp]) -> Columns:
        height = len(self._layers.rows)
        squares = np.bincount(rows, norms**2, minlength=height)
        present = np.bincount(rows, minlength=height) > 0
        with np.errstate(over="ignore"):
            norm_column = np.where(present, np.sqrt(squares), np.nan).astype(np.float32)
        bad = np.where(present, ~np.isfinite(squares), np.nan).astype(np.float32)
        return {"grad_norm": norm_column, "grad_nonfinite": bad}

    def _gradient_columns(self, found: Sequence[Values], rows: Sequence[int]) -> Columns:
        table = self._table(found, rows)
        columns = ten_statistics("grad", table)
        moments = table.moments
        count = np.where(moments.count > 0, moments.count, np.nan)
        largest = np.maximum(-moments.low, moments.high)
        with np.errstate(over="ignore"):
            columns["grad_mean_abs"] = (moments.absolute / count).astype(np.float32)
        columns["grad_max_abs"] = np.where(moments.count > 0, largest, np.nan).astype(np.float32)
        return columns

    def weights(self) -> Columns:
        """The statistics of all weights, before the optimizer moves them."""
        layers = self._layers
        found = [values(parameter) for parameter in layers.parameters]
        table = self._table(found, layers.row_of)
        columns = ten_statistics("weight", table)
        known = table.moments.count > 0
        columns["weight_norm"] = np.where(known, norm(table.moments), np.nan).astype(np.float32)
        bad = table.moments.bad > 0
        columns["weight_nonfinite"] = np.where(known, bad, np.nan).astype(np.float32)
        return columns

    def _table(self, found: Sequence[Values], rows: Sequence[int]) -> Table:
        sizes = tuple(one.flat.numel() for one in found)
        survey = self._surveys.get((*sizes, *rows))
        if survey is None:
            if len(self._surveys) > 8:  # sparse gradients change their size at every step
                self._surveys.clear()
            survey = Survey(sizes, rows, len(self._layers.rows))
            self._surveys[(*sizes, *rows)] = survey
        table = survey.read([one.flat for one in found])
        absent = [float(one.implicit_zeros) for one in found]
        if any(absent):
            table.add_zeros(np.bincount(rows, absent, minlength=len(self._layers.rows)))
        if self.shards:
            table.moments = self.shards.merge(table.moments)
        return table

    def remember(self) -> None:
        """Keep the weights, or an even sample of them, to compare them after the step."""
        self._before = self._kept()

    def updates(self) -> Columns:
        """How far the step moved each layer, relative to the size of its weights."""
        before, self._before = self._before, None
        if before is None:
            return {}
        after = self._kept()
        if before.shape != after.shape:
            return {}
        old, moved = before.numpy(), (after - before).numpy()
        starts, rows = self._kept_starts
        column = np.full(len(self._layers.rows), np.nan, np.float32)
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            ratio = np.add.reduceat(moved * moved, starts) / np.add.reduceat(old * old, starts)
            column[rows] = np.sqrt(ratio)
        return {"update_ratio": column}

    def _kept(self) -> Tensor:
        flats = [values(parameter).flat for parameter in self._layers.parameters]
        stride = max(-(-sum(flat.numel() for flat in flats) // _KEPT), 1)
        if stride > 1:
            flats = [flat[::stride] for flat in flats]
        self._kept_starts = row_starts([flat.numel() for flat in flats], self._layers.row_of)
        if any(flat.dtype is not torch.float32 or flat.device.type != "cpu" for flat in flats):
            flats = [flat.to("cpu", torch.float32) for flat in flats]
        return torch.cat(flats) if flats else torch.empty(0)


def row_starts(
    sizes: Sequence[int], rows: Sequence[int]
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Where each row begins when tensors of these sizes are laid end to end, and which it is."""
    begins = np.cumsum([0, *sizes[:-1]])
    present = np.flatnonzero(sizes)
    places = np.asarray(rows)[present]
    first = np.flatnonzero(np.diff(places, prepend=-1))
    return begins[present][first], places[first]


def _norms(grads: Sequence[Tensor], found: Sequence[Values]) -> NDArray[np.float64]:
    sharded = [is_sharded(grad) for grad in grads]
    if not any(sharded):
        return tensor_norms(found)
    result = np.empty(len(grads))
    flags = np.array(sharded)
    result[flags] = sharded_norms([g for g, one in zip(grads, sharded, strict=True) if one])
    if not flags.all():
        result[~flags] = tensor_norms([v for v, one in zip(found, sharded, strict=True) if not one])
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
    flat = values(local(tensor)).flat
    return not bool(torch.isfinite(flat.sum())) and not bool(torch.isfinite(flat).all())
