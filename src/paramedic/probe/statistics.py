"""Statistics of many tensors in one batched pass, one row per layer.

Per-tensor torch operations are bound by dispatch, so the values of all tensors are concatenated
into a scratch buffer of fixed size, chunk by chunk, and reduced by segments in NumPy: the cost
is linear in the number of values and the memory does not grow with the model.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from paramedic.probe.moments import Moments, merge, segment_moments, with_zeros
from paramedic.probe.tensors import Values

CHUNK = 2**18  # values: 1 MB of float32, which stays in the cache between two reductions
SAMPLE = 256  # values per layer from which the quartiles are taken


@dataclass(frozen=True, slots=True)
class _Piece:
    """A run of values of one tensor inside a chunk."""

    tensor: int
    start: int
    stop: int


@dataclass(frozen=True, slots=True)
class _Chunk:
    """What is read at once: pieces laid end to end, and the rows their segments belong to."""

    pieces: tuple[_Piece, ...]
    starts: NDArray[np.intp]
    rows: NDArray[np.intp]
    sampled: NDArray[np.intp]  # positions in the chunk
    slots: NDArray[np.intp]  # where they go in the flattened [rows, SAMPLE] table


class Survey:
    """How to read a fixed list of tensors: `sizes[i]` values that belong to row `rows[i]`.

    Rows must not decrease. Planned once per list of sizes, used at every look.
    """

    def __init__(self, sizes: Sequence[int], rows: Sequence[int], height: int) -> None:
        self.height = height
        self.sample_sizes = np.zeros(height, np.intp)
        self._chunks = tuple(self._plan(sizes, rows))

    def _plan(self, sizes: Sequence[int], rows: Sequence[int]) -> list[_Chunk]:
        totals = np.bincount(np.asarray(rows, np.intp), sizes, minlength=self.height)
        strides = np.maximum(np.ceil(totals / SAMPLE), 1).astype(np.intp)
        chunks, pieces, room = [], list[tuple[_Piece, int]](), CHUNK
        for index, (size, row) in enumerate(zip(sizes, rows, strict=True)):
            start = 0
            while start < size:
                stop = min(size, start + room)
                pieces.append((_Piece(index, start, stop), row))
                room -= stop - start
                start = stop
                if not room:
                    chunks.append(self._chunk(pieces, strides))
                    pieces, room = [], CHUNK
        if pieces:
            chunks.append(self._chunk(pieces, strides))
        return chunks

    def _chunk(self, pieces: list[tuple[_Piece, int]], strides: NDArray[np.intp]) -> _Chunk:
        lengths = np.array([piece.stop - piece.start for piece, _ in pieces])
        begins = np.concatenate([[0], np.cumsum(lengths)[:-1]])
        rows = np.array([row for _, row in pieces], np.intp)
        first = np.concatenate([[True], rows[1:] != rows[:-1]])
        starts, unique = begins[first].astype(np.intp), rows[first]
        stops = np.append(starts[1:], lengths.sum())
        sampled, slots = [], []
        for row, start, stop in zip(unique, starts, stops, strict=True):
            taken = self.sample_sizes[row]
            positions = np.arange(start, stop, strides[row])[: SAMPLE - taken]
            sampled.append(positions)
            slots.append(row * SAMPLE + taken + np.arange(len(positions)))
            self.sample_sizes[row] += len(positions)
        return _Chunk(
            tuple(piece for piece, _ in pieces),
            starts,
            unique,
            np.concatenate(sampled).astype(np.intp),
            np.concatenate(slots).astype(np.intp),
        )

    def read(self, tensors: Sequence[Tensor]) -> Table:
        """The moments and the sample of each row."""
        sample = np.full(self.height * SAMPLE, np.inf, np.float32)
        moments = Moments.empty(self.height)
        for chunk in self._chunks:
            x = _gather(tensors, chunk.pieces)
            sample[chunk.slots] = x[chunk.sampled]
            part = _moments_of(x, chunk.starts)
            moments = _merge_rows(moments, part, chunk.rows)
        return Table(moments, sample.reshape(self.height, SAMPLE), self.sample_sizes)


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


def _gather(tensors: Sequence[Tensor], pieces: tuple[_Piece, ...]) -> NDArray[np.float32]:
    parts = [tensors[piece.tensor][piece.start : piece.stop] for piece in pieces]
    if all(part.dtype is torch.float32 and part.device.type == "cpu" for part in parts):
        return torch.cat(parts).numpy()
    return torch.cat([part.to("cpu", torch.float32) for part in parts]).numpy()


def _moments_of(x: NDArray[np.float32], starts: NDArray[np.intp]) -> Moments:
    # The sum of a segment is finite if all its values are, unless it overflows: `isfinite`
    # of all values is dearer and is left to the rare case.
    with np.errstate(over="ignore", invalid="ignore"):
        suspects = ~np.isfinite(np.add.reduceat(x, starts))
    if not suspects.any():
        return segment_moments(x, starts)
    finite = np.isfinite(x)
    moments = segment_moments(np.where(finite, x, np.float32(0)), starts)
    bad = np.add.reduceat((~finite).view(np.int8), starts, dtype=np.float64)
    return _without_fill(moments, bad)


def _without_fill(moments: Moments, bad: NDArray[np.float64]) -> Moments:
    """Take the zeros that stand for non-finite values out of the counts again.

    The moments of such a row are kept as they are: its norm is infinite anyway, and what its
    other values look like is only a hint.
    """
    moments.bad = bad
    moments.zero = np.maximum(moments.zero - bad, 0.0)
    return moments


def _merge_rows(total: Moments, part: Moments, rows: NDArray[np.intp]) -> Moments:
    if len(rows) == len(total.count):
        return merge(total, part)
    wide = Moments.empty(len(total.count)).table()
    wide[:, rows] = part.table()
    return merge(total, Moments.from_table(wide))


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


def tensor_norms(found: Sequence[Values]) -> NDArray[np.float64]:
    """The Euclidean norm of each tensor, with one transfer; infinite if it is not finite."""
    flats = [one.flat for one in found]
    wide = any(flat.dtype is torch.float64 for flat in flats)
    norms = _foreach_norm(flats, 2, dtype=torch.float64 if wide else torch.float32)
    if len({flat.device for flat in flats}) > 1:
        norms = tuple(one.cpu() for one in norms)
    result = np.array(torch.stack(norms).tolist(), np.float64)
    for index in np.flatnonzero(~np.isfinite(result)):
        # A float32 square overflows beyond 1.8e19: only float64 tells that from an infinity.
        exact = float(torch.linalg.vector_norm(flats[index].double()))
        result[index] = exact if np.isfinite(exact) else np.inf
    return result


_foreach_norm: Callable[..., tuple[Tensor, ...]] = torch._foreach_norm
