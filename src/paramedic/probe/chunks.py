"""Reading tensors of any kind in chunks of bounded size, reduced by segments in NumPy."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from paramedic.probe.moments import Moments, merge, segment_moments
from paramedic.probe.native import SAMPLE

CHUNK = 2**18  # values: 1 MB of float32, which stays in the cache between two reductions


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
        self._seen = np.zeros(height, np.intp)  # values of each row in the chunks so far
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
            begin = start + (-self._seen[row]) % strides[row]  # the stride goes on over chunks
            positions = np.arange(begin, stop, strides[row])[: SAMPLE - taken]
            self._seen[row] += stop - start
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

    def read(self, tensors: Sequence[Tensor]) -> tuple[Moments, NDArray[np.float32]]:
        """The moments of each row, and a sample of its values: [rows, SAMPLE], padded with inf."""
        sample = np.full(self.height * SAMPLE, np.inf, np.float32)
        moments = Moments.empty(self.height)
        for chunk in self._chunks:
            x = _gather(tensors, chunk.pieces)
            sample[chunk.slots] = x[chunk.sampled]
            part = moments_of(x, chunk.starts)
            moments = _merge_rows(moments, part, chunk.rows)
        return moments, sample.reshape(self.height, SAMPLE)


def _gather(tensors: Sequence[Tensor], pieces: tuple[_Piece, ...]) -> NDArray[np.float32]:
    parts = [tensors[piece.tensor][piece.start : piece.stop] for piece in pieces]
    if all(part.dtype is torch.float32 and part.device.type == "cpu" for part in parts):
        return torch.cat(parts).numpy()
    return torch.cat([part.to("cpu", torch.float32) for part in parts]).numpy()


def moments_of(x: NDArray[np.float32], starts: NDArray[np.intp]) -> Moments:
    """The moments of the segments of `x` that begin at `starts`, of their finite values."""
    # The sum of a segment is finite if all its values are, unless it overflows: `isfinite`
    # of all values is dearer and is left to the rare case.
    with np.errstate(over="ignore", invalid="ignore"):
        suspects = ~np.isfinite(np.add.reduceat(x, starts))
    if not suspects.any():
        return segment_moments(x, starts)
    stops = np.append(starts[1:], len(x))
    parts = [_finite_moments(x[start:stop]) for start, stop in zip(starts, stops, strict=True)]
    return Moments.from_table(np.concatenate([part.table() for part in parts], axis=1))


def _finite_moments(x: NDArray[np.float32]) -> Moments:
    """The moments of the finite values of one vector, the others counted."""
    kept = x[np.isfinite(x)]
    moments = segment_moments(kept, np.zeros(1, np.intp)) if len(kept) else Moments.empty(1)
    moments.bad[0] = len(x) - len(kept)
    return moments


def _merge_rows(total: Moments, part: Moments, rows: NDArray[np.intp]) -> Moments:
    if len(rows) == len(total.count):
        return merge(total, part)
    wide = Moments.empty(len(total.count)).table()
    wide[:, rows] = part.table()
    return merge(total, Moments.from_table(wide))


def row_moments(x: NDArray[np.float32]) -> Moments:
    """The moments of one vector, as a single row."""
    return moments_of(x, np.zeros(1, np.intp))
