"""Statistics of many tensors in one batched pass, one row per layer.

Per-tensor torch operations are bound by dispatch. Plain tensors of the host are read where they
lie by the native kernel; for all others, and where the kernel was not built, values are
concatenated chunk by chunk (`chunks.py`) and reduced by segments in NumPy. Either way the cost is
linear in the number of values and the memory does not grow with the model.
"""

from __future__ import annotations

import math
from array import array
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from paramedic.probe import native
from paramedic.probe.chunks import Survey
from paramedic.probe.moments import Moments, with_zeros
from paramedic.probe.native import COLUMNS, Vectors
from paramedic.probe.ranks import Shards
from paramedic.probe.tensors import Values, values

Rows: TypeAlias = "array[int] | NDArray[np.int64]"


class TensorReader:
    """Reads lists of tensors, each of which belongs to one of `height` rows.

    In all methods `rows` is the row of each tensor, never decreasing, and `vectors` the same
    tensors as the kernel sees them, if it can.
    """

    def __init__(self, height: int, shards: Shards) -> None:
        self._height = height
        self._shards = shards
        self._surveys: dict[tuple[int, ...], Survey] = {}

    def statistics(
        self, tensors: Sequence[Tensor], rows: Rows, vectors: Vectors | None
    ) -> dict[str, NDArray[np.float32]]:
        """One value per row of each of `native.COLUMNS`; NaN in a row without values."""
        if vectors is not None and native.kernel is not None:
            columns = native.kernel.statistics(vectors, rows, self._height)
        else:
            columns = self._chunked([values(tensor) for tensor in tensors], rows.tolist())
        return dict(zip(COLUMNS, columns, strict=True))

    def _chunked(self, found: Sequence[Values], rows: Sequence[int]) -> NDArray[np.float32]:
        sizes = tuple(one.flat.numel() for one in found)
        survey = self._surveys.get((*sizes, *rows))
        if survey is None:
            if len(self._surveys) > 8:  # sparse gradients change their size at every step
                self._surveys.clear()
            survey = self._surveys[(*sizes, *rows)] = Survey(sizes, rows, self._height)
        table = Table(*survey.read([one.flat for one in found]), survey.sample_sizes)
        absent = [float(one.implicit_zeros) for one in found]
        if any(absent):
            table.add_zeros(np.bincount(rows, absent, self._height).astype(np.float64))
        if self._shards:
            table.moments = self._shards.merge(table.moments)
        return table.columns()

    def norms(
        self,
        tensors: Sequence[Tensor],
        rows: Rows,
        vectors: Vectors | None,
        vigil: int | None = None,
    ) -> tuple[NDArray[np.float32], float]:
        """The norm of each row and whether it is not finite, as [2, height], and the global norm.

        NaN in a row without tensors; infinite if a value is not finite. If the kernel reads them,
        it shows the norms to the `vigil` whose place is given.
        """
        if vectors is not None and native.kernel is not None:
            columns, total = native.kernel.norms(vectors, rows, self._height, vigil)
            return columns, math.sqrt(total)
        norms, rows = self._norms(tensors), np.asarray(rows)
        squares = np.bincount(rows, norms**2, self._height)
        columns = np.full((2, self._height), np.nan, np.float32)
        with np.errstate(over="ignore"):
            columns[0, rows] = np.sqrt(squares[rows])
        columns[1, rows] = np.isinf(squares[rows])
        return columns, math.sqrt(float(squares.sum()))

    def _norms(self, tensors: Sequence[Tensor]) -> NDArray[np.float64]:
        if self._shards:
            return self._shards.norms(tensors, tensor_norms)
        return tensor_norms(tensors)


@dataclass(slots=True)
class Table:
    """What one pass over chunks of values found, before it is turned into statistics."""

    moments: Moments
    sample: NDArray[np.float32]  # [rows, SAMPLE], filled up with +inf
    sample_sizes: NDArray[np.intp]

    def add_zeros(self, zeros: NDArray[np.float64]) -> None:
        """Count values that a sparse tensor does not store; they take their share of the sample."""
        self.sample_sizes = self.sample_sizes.copy()
        for row in np.flatnonzero(zeros):
            stored = self.moments.count[row]
            size = max(self.sample_sizes[row], 1)
            self.sample[row, int(size * stored / (stored + zeros[row])) : size] = 0.0
            self.sample_sizes[row] = size
        self.moments = with_zeros(self.moments, zeros)

    def columns(self) -> NDArray[np.float32]:
        """The statistics of each row, in the order of `native.COLUMNS`."""
        m = self.moments
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            n = np.where(m.count > 0, m.count, np.nan)
            variance = m.m2 / n
            skew = np.where(variance > 0, (m.m3 / n) / variance**1.5, 0.0 * n)
            kurtosis = np.where(variance > 0, (m.m4 / n) / variance**2 - 3.0, 0.0 * n)
            q1, median, q3 = self._quartiles() + 0.0 * n
            largest = np.maximum(-m.low, m.high) + 0.0 * n
            low, high = m.low + 0.0 * n, m.high + 0.0 * n
            mean, zero = m.mean + 0.0 * n, m.zero / n
            ten = [mean, variance, median, low, high, q1, q3, skew, kurtosis, zero]
            norm = np.where(m.bad > 0, np.inf, np.sqrt(m.m2 + m.count * m.mean**2))
            seen = np.where(m.count + m.bad > 0, 0.0, np.nan)
            rest = [m.absolute / n, largest, norm + seen, (m.bad > 0) + seen]
            return np.array([*ten, *rest]).astype(np.float32)

    def _quartiles(self) -> NDArray[np.float32]:
        ordered = np.sort(np.where(np.isfinite(self.sample), self.sample, np.inf), axis=1)
        sizes = np.minimum(self.sample_sizes, np.isfinite(ordered).sum(axis=1))
        places = [(np.maximum(sizes - 1, 0) * share).astype(np.intp) for share in (0.25, 0.5, 0.75)]
        rows = np.arange(len(ordered))
        return np.array([ordered[rows, place] for place in places])


def tensor_norms(tensors: Sequence[Tensor]) -> NDArray[np.float64]:
    """The Euclidean norm of each tensor, on any device, with one transfer; infinite if a value
    is not finite."""
    flats = [values(tensor).flat for tensor in tensors]
    wide = any(flat.dtype is torch.float64 for flat in flats)
    norms = _foreach_norm(flats, 2, dtype=torch.float64 if wide else torch.float32)
    if len({flat.device for flat in flats}) > 1:
        norms = tuple(one.cpu() for one in norms)
    result = np.array(torch.stack(norms).tolist(), np.float64)
    for index in np.flatnonzero(~np.isfinite(result) | (result < 1e-15)).tolist():
        # A float32 square overflows beyond 1.8e19 and vanishes below 1e-23: look again.
        exact = float(torch.linalg.vector_norm(flats[index].double()))
        result[index] = exact if np.isfinite(exact) else np.inf
    return result


_foreach_norm: Callable[..., tuple[Tensor, ...]] = torch._foreach_norm
