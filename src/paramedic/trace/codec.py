"""Numbers to bytes and back: a frame is one blob, a chunk of heartbeats another.

Only `struct` and `np.frombuffer` are used, so a blob from a stranger can be wrong but can do
nothing. Every `decode` checks the length first and raises `ValueError`; the caller knows the file.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from paramedic.trace.schema import CHUNK, checksum
from paramedic.types import Frame, Pulse

Signature = tuple[tuple[str, ...], tuple[str, ...], int]
Beat = tuple[int, float, bool, bool]  # step, loss, finite, skipped

MOST_NAMES = 1_000_000
MOST_CELLS = 4_000_000  # statistics x layers: 16 MB per frame, far above any real network

_F4 = np.dtype("<f4")
_F8 = np.dtype("<f8")
PULSE = np.dtype([("step", "<i8"), ("loss", "<f8"), ("flags", "u1")])
FINITE, _SKIPPED = 1, 2
MOST_PULSE = 2 * (CHUNK + 1) * PULSE.itemsize  # bytes of one row


def signature(frame: Frame) -> Signature:
    """What two frames must share to have the same `Layout`; cheap enough to ask of every frame."""
    layers = frame.layers
    width = next(iter(layers.values())).size if layers else 0
    return tuple(frame.scalars), tuple(layers), width


def pack_rows(layers: Mapping[str, NDArray[np.float32]], width: int) -> bytes:
    """The float32 matrix [statistic, layer] as bytes; `ValueError` if a row has another width."""
    for row in layers.values():
        if row.dtype is not _F4 or row.size != width:
            return _pack_odd_rows(layers, width)
    try:
        return b"".join(layers.values())  # type: ignore[arg-type]  # an array is a buffer
    except TypeError:  # a row is strided: `join` needs contiguous memory
        return _pack_odd_rows(layers, width)


def _pack_odd_rows(layers: Mapping[str, NDArray[np.float32]], width: int) -> bytes:
    rows = {name: np.asarray(row, _F4) for name, row in layers.items()}
    for name, row in rows.items():
        if row.shape != (width,):
            raise ValueError(
                f"`{name}` has shape {row.shape}, the first statistic of the frame ({width},): "
                "give one value per layer of the chart."
            )
    return b"".join(row.tobytes() for row in rows.values())


@dataclass(frozen=True, slots=True)
class Layout:
    """The names behind the numbers of a frame.

    `scalars` are the names of the float64 values, `layers` the statistics (the rows of the
    float32 matrix), `width` the number of layers (its columns).
    """

    scalars: tuple[str, ...]
    layers: tuple[str, ...]
    width: int
    size: int = field(init=False, repr=False, compare=False)
    _struct: struct.Struct = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        self._check()
        cells = len(self.layers) * self.width
        object.__setattr__(self, "size", _F8.itemsize * len(self.scalars) + _F4.itemsize * cells)
        object.__setattr__(self, "_struct", struct.Struct(f"<{len(self.scalars)}d"))

    def _check(self) -> None:
        for what, names in (("scalars", self.scalars), ("layers", self.layers)):
            if len(names) > MOST_NAMES:
                raise ValueError(
                    f"`{what}` has {len(names)} names; at most {MOST_NAMES} make sense."
                )
            if len(set(names)) != len(names):
                raise ValueError(f"`{what}` names a statistic twice.")
        if not 0 <= self.width <= MOST_NAMES:
            raise ValueError(f"`width` is {self.width}; it must be between 0 and {MOST_NAMES}.")
        if len(self.layers) * self.width > MOST_CELLS:
            cells = f"{len(self.layers)} statistics x {self.width} layers"
            raise ValueError(f"A frame of {cells} is too large; at most {MOST_CELLS} values.")

    def encode(self, frame: Frame) -> bytes:
        """The blob of a frame that has this layout."""
        try:
            head = self._struct.pack(*frame.scalars.values())
        except struct.error as error:
            raise ValueError(f"A scalar of the frame is not a number: {error}.") from error
        return head + pack_rows(frame.layers, self.width)

    def decode(self, step: int, level: str, blob: bytes) -> Frame:
        """The frame again; its arrays are read-only views of the blob."""
        self.check(blob)
        values, matrix = self.tables([blob])
        rows = matrix.reshape(len(self.layers), self.width)
        scalars = dict(zip(self.scalars, values[0].tolist(), strict=True))
        return Frame(step, level, scalars, dict(zip(self.layers, rows, strict=True)))

    def check(self, blob: bytes) -> None:
        """`ValueError` if the blob cannot be a frame of this layout."""
        if len(blob) != self.size:
            raise ValueError(f"the blob has {len(blob)} bytes, its layout needs {self.size}")

    def tables(self, blobs: Sequence[bytes]) -> tuple[NDArray[np.float64], NDArray[np.float32]]:
        """The scalars and the values of the layers, a row for each blob; read-only."""
        raw = np.frombuffer(b"".join(blobs), np.uint8).reshape(len(blobs), self.size)
        head = _F8.itemsize * len(self.scalars)
        return raw[:, :head].view(_F8), raw[:, head:].view(_F4)


def encode_pulse(beats: Sequence[Beat]) -> NDArray[np.void]:
    """The heartbeats as one packed array; its bytes are the blob."""
    step, loss, finite, skipped = zip(*beats, strict=True)
    chunk = np.empty(len(beats), PULSE)
    chunk["step"] = step
    chunk["loss"] = loss
    chunk["flags"] = np.array(finite, np.uint8) * FINITE + np.array(skipped, np.uint8) * _SKIPPED
    return chunk


def pulse_row(chunk: NDArray[np.void]) -> tuple[int, int, int, bytes]:
    """The columns of a chunk in its table: first step, last step, checksum, blob."""
    first, last, blob = int(chunk["step"].min()), int(chunk["step"].max()), chunk.tobytes()
    return first, last, checksum(blob, first, last), blob


def decode_pulse(blob: bytes) -> NDArray[np.void]:
    """The packed array of one chunk; `unpack_pulse` turns any number of them into a `Pulse`."""
    if len(blob) > MOST_PULSE:
        raise ValueError(f"the blob has {len(blob)} bytes, more than any chunk of heartbeats")
    if not blob or len(blob) % PULSE.itemsize:
        raise ValueError(f"the blob has {len(blob)} bytes, not a multiple of {PULSE.itemsize}")
    return np.frombuffer(blob, PULSE)


def unpack_pulse(chunks: Sequence[NDArray[np.void]]) -> Pulse:
    """One `Pulse` of owned, contiguous arrays."""
    beats = np.concatenate(chunks) if chunks else np.empty(0, PULSE)
    return Pulse(
        step=np.ascontiguousarray(beats["step"], np.int64),
        loss=np.ascontiguousarray(beats["loss"], np.float64),
        finite=(beats["flags"] & FINITE) != 0,
        skipped=(beats["flags"] & _SKIPPED) != 0,
    )
