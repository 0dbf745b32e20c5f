"""Statistics of many tensors in one batched pass, one row per layer.

Per-tensor torch operations are bound by dispatch. Plain tensors of the host are read where they
lie by the native kernel; for all others, and where the kernel was not built, values are
concatenated chunk by chunk (`chunks.py`) and reduced by segments in NumPy. Either way the cost is
linear in the number of values and the memory does not grow with the model.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from paramedic.probe import native
from paramedic.probe.chunks import SAMPLE, Survey
from paramedic.probe.moments import Moments, with_zeros
from paramedic.probe.native import Kernel, Vectors
from paramedic.probe.tensors import Values, values


@dataclass(slots=True)
class Table:
    """What one pass over a batch of tensors found, before it is turned into statistics."""

    moments: Moments
    sample: NDArray[np.float32]  # [rows, SAMPLE], filled up with +inf
    sample_sizes: NDArray[np.intp]

    def add_zeros(self, zeros: NDArray[np.float64]) -> None:
        """Count values that a sparse tensor does not store; they take their share of the sample."""
        for row in np.flatnonzero(zeros):
            stored = max(self.moments.count[row], 1.0)
            kept = int(self.sample_sizes[row] * stored / (stored + zeros[row]))
            self.sample[row, kept : self.sample_sizes[row]] = 0.0
        self.moments = with_zeros(self.moments, zeros)


class TensorReader:
    """Reads lists of tensors, each of which belongs to one of `height` rows."""

    def __init__(self, height: int) -> None:
        self._height = height
        self._surveys: dict[tuple[int, ...], Survey] = {}

    def table(
        self, tensors: Sequence[Tensor], rows: NDArray[np.int64], vectors: Vectors | None
    ) -> Table:
        """The moments and a sample of each row. Rows must not decrease.

        `vectors` are the same tensors as the kernel sees them, if it can (`vectors_of`).
        """
        if vectors is not None and native.kernel is not None:
            return self._native_table(native.kernel, vectors, rows)
        return self._chunked_table([values(tensor) for tensor in tensors], rows.tolist())

    def _native_table(self, kernel: Kernel, vectors: Vectors, row_of: NDArray[np.int64]) -> Table:
        height = self._height
        totals = np.bincount(row_of, vectors.sizes, minlength=height)
        strides = np.maximum(np.ceil(totals / SAMPLE), 1).astype(np.int64)
        sample = np.full((height, SAMPLE), np.inf, np.float32)
        taken = kernel.sample(vectors, row_of, strides, sample)
        return Table(Moments(*kernel.moments(vectors, row_of, height)), sample, taken)

    def _chunked_table(self, found: Sequence[Values], rows: Sequence[int]) -> Table:
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
        return table


def vectors_of(tensors: Sequence[Tensor]) -> Vectors | None:
    """The tensors as the native kernel sees them, if it can read them all in place."""
    if native.kernel is None or not all(map(native.is_native, tensors)):
        return None
    return Vectors(tensors)


def tensor_norms(tensors: Sequence[Tensor], vectors: Vectors | None) -> NDArray[np.float64]:
    """The Euclidean norm of each tensor; infinite if a value is not finite."""
    if vectors is not None and native.kernel is not None:
        norms = np.sqrt(native.kernel.squares(vectors))
        norms[~np.isfinite(norms)] = np.inf
        return norms
    return _foreach_norms([values(tensor).flat for tensor in tensors])


def _foreach_norms(flats: Sequence[Tensor]) -> NDArray[np.float64]:
    """On any device, with one transfer."""
    wide = any(flat.dtype is torch.float64 for flat in flats)
    norms = _foreach_norm(flats, 2, dtype=torch.float64 if wide else torch.float32)
    if len({flat.device for flat in flats}) > 1:
        norms = tuple(one.cpu() for one in norms)
    result = np.array(torch.stack(norms).tolist(), np.float64)
    for index in np.flatnonzero(~np.isfinite(result)).tolist():
        # A float32 square overflows beyond 1.8e19: only float64 tells that from an infinity.
        exact = float(torch.linalg.vector_norm(flats[index].double()))
        result[index] = exact if np.isfinite(exact) else np.inf
    return result


_foreach_norm: Callable[..., tuple[Tensor, ...]] = torch._foreach_norm

_TEN = ("mean", "var", "median", "min", "max", "q1", "q3", "skew", "kurtosis", "zero")


def ten_statistics(of: str, table: Table) -> dict[str, NDArray[np.float32]]:
    """BTTackler's ten statistics of each row, named `grad_mean` … or `weight_mean` …"""
    m = table.moments
    n = np.maximum(m.count, 1.0)
    variance = m.m2 / n
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        skew = np.where(variance > 0, (m.m3 / n) / variance**1.5, 0.0)
        kurtosis = np.where(variance > 0, (m.m4 / n) / variance**2 - 3.0, 0.0)
        q1, median, q3 = _quartiles(table.sample, table.sample_sizes)
        ten = np.array(
            [m.mean, variance, median, m.low, m.high, q1, q3, skew, kurtosis, m.zero / n]
        ).astype(np.float32)
    ten[:, m.count == 0] = np.nan
    return {f"{of}_{name}": row for name, row in zip(_TEN, ten, strict=True)}


def _quartiles(
    sample: NDArray[np.float32], sizes: NDArray[np.intp]
) -> tuple[NDArray[np.float32], ...]:
    ordered = np.sort(sample, axis=1)
    rows = np.arange(len(sample))
    last = np.maximum(sizes - 1, 0)
    return tuple(ordered[rows, (last * share).astype(np.intp)] for share in (0.25, 0.5, 0.75))


def norm(moments: Moments) -> NDArray[np.float64]:
    """The Euclidean norm of each row; infinite where a value is not finite."""
    finite = np.sqrt(moments.m2 + moments.count * moments.mean**2)
    return np.where(moments.bad > 0, np.inf, finite)
