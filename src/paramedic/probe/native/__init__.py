"""The native kernel, if it was built: the same numbers as NumPy, several times faster.

`kernel` is None where there is no compiled library, where it was built from another source than
the one beside it, or with `PARAMEDIC_NATIVE=off`; whoever uses it has another way.
"""

from __future__ import annotations

import ctypes
import hashlib
import logging
import math
import os
from array import array
from collections.abc import Sequence
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import Parameter

ABI = 1  # what this module takes the functions of the library to be; as in `kernel.c`
FIELDS = 10  # of a row of moments
SAMPLE = 256  # values per row from which the quartiles are taken
COLUMNS = (
    "mean", "var", "median", "min", "max", "q1", "q3", "skew", "kurtosis", "zero",
    "mean_abs", "max_abs", "norm", "nonfinite",
)  # fmt: skip

_PLAIN = {Tensor, Parameter}
_FLOAT, _STRIDED = torch.float32, torch.strided

Doubles = NDArray[np.float64]
Numbers: TypeAlias = "NDArray[np.int64] | array[int]"


class Vectors:
    """Float32 tensors of the host as the kernel sees them: pointers and lengths.

    Holds the tensors, since a pointer alone would not keep them alive.
    """

    __slots__ = ("_tensors", "pointers", "sizes")

    def __init__(self, tensors: Sequence[Tensor], pointers: Sequence[int] | None = None) -> None:
        self._tensors = tensors
        # Arrays of the standard library: half the time of NumPy's for a handful of numbers.
        self.pointers = array("Q", pointers or [tensor.data_ptr() for tensor in tensors])
        self.sizes = array("q", [tensor.numel() for tensor in tensors])

    def __len__(self) -> int:
        return len(self.pointers)


def vectors_of(tensors: Sequence[Any]) -> Vectors | None:
    """The tensors as the kernel sees them, if there is a kernel and it can read all in place.

    None among the tensors is one it cannot read.
    """
    if kernel is None:
        return None
    try:
        # One pass over all that matters, as a list: this is hot.
        pointers = [
            t.data_ptr()
            if type(t) in _PLAIN
            and t.dtype is _FLOAT
            and t.is_cpu
            and (t.is_contiguous() or has_channels_last(t))
            else -1
            for t in tensors
        ]
    except RuntimeError:  # a layout that has no pointer
        return None
    return None if -1 in pointers else Vectors(tensors, pointers)


def is_native(tensor: Tensor) -> bool:
    """Whether the kernel can read this tensor where it lies."""
    return _is_plain(tensor) and tensor.is_contiguous()


def is_dense(tensor: Tensor) -> bool:
    """The same for whoever does not mind in which order the values of a sample lie."""
    return _is_plain(tensor) and (tensor.is_contiguous() or has_channels_last(tensor))


def has_channels_last(tensor: Tensor) -> bool:
    """Whether the channels of images lie next to each other, as many convolutions like it."""
    return tensor.is_contiguous(memory_format=torch.channels_last) or tensor.is_contiguous(
        memory_format=torch.channels_last_3d
    )


def _is_plain(tensor: Tensor) -> bool:
    return (
        type(tensor) in _PLAIN
        and tensor.dtype is _FLOAT
        and tensor.is_cpu
        and tensor.layout is _STRIDED
    )


class Kernel:
    """The functions of `kernel.c`, for arrays."""

    def __init__(self, library: ctypes.CDLL) -> None:
        self._moments = _function(library.paramedic_moments, "pppip")
        self._statistics = _function(library.paramedic_statistics, "pppiiippppp")
        self._norms = _function(library.paramedic_norms, "pppiippp", ctypes.c_double)
        self._keep = _function(library.paramedic_keep, "ppiip")
        self._moved = _function(library.paramedic_moved, "pppiippp")
        # For the hottest place there is: takes a pointer and a number, without a call of ours.
        self.finite = _function(library.paramedic_finite, "pi", ctypes.c_int64)
        self.vigil = _function(library.paramedic_vigil, "ppp", ctypes.c_int64)
        self.vigil_of = _function(library.paramedic_vigil_of, "pp", ctypes.c_int64)
        self._levels = _function(library.paramedic_levels, "ppip")
        self._input = _function(library.paramedic_input, "piiip")
        self._output = _function(library.paramedic_output, "piip")
        self._labels = _function(library.paramedic_labels, "piiippp", ctypes.c_int64)
        self._dead = _function(library.paramedic_dead, "piii", ctypes.c_int64)
        self._outside = _function(library.paramedic_outside, "piff", ctypes.c_int64)

    def moments(self, vectors: Vectors, row_of: Numbers, height: int) -> Doubles:
        """The moments of each row as a table [FIELDS, height], in the order of `Moments`."""
        rows = np.zeros((height, FIELDS))
        rows[:, -2], rows[:, -1] = np.inf, -np.inf
        self._moments(*_vectors(vectors), _at(row_of), len(vectors), _at(rows))
        return rows.T

    def statistics(self, vectors: Vectors, row_of: Numbers, height: int) -> NDArray[np.float32]:
        """Everything there is to know of each row, as a table [COLUMNS, height].

        NaN in a row without values. Quartiles come from a sample of at most `SAMPLE` values.
        """
        result, at = _table(len(COLUMNS), height)
        # Room for the moments, strides and places of all rows, and for their samples.
        scratch = array("d", bytes(height * (8 * (FIELDS + 2) + 4 * SAMPLE)))
        rows = _at(scratch)
        strides = rows + 8 * height * FIELDS
        taken = strides + 8 * height
        sample = taken + 8 * height
        self._statistics(
            *_vectors(vectors), _at(row_of), len(vectors), height, SAMPLE,
            rows, sample, strides, taken, at,
        )  # fmt: skip
        return result

    def norms(
        self, vectors: Vectors, row_of: Numbers, height: int, vigil: int | None = None
    ) -> tuple[NDArray[np.float32], float]:
        """The norm of each row and whether it is not finite, as [2, height]; the total square.

        The norms are shown to the vigil whose place is given.
        """
        result, at = _table(2, height)
        squares = array("d", bytes(8 * height))
        total: float = self._norms(
            *_vectors(vectors), _at(row_of), len(vectors), height, _at(squares), at, vigil
        )
        return result, total

    def keep(self, vectors: Vectors, stride: int) -> NDArray[np.float32]:
        """A copy of every `stride`-th value of each vector, end to end."""
        kept = np.empty(sum(-(-size // stride) for size in vectors.sizes), np.float32)
        self._keep(*_vectors(vectors), len(vectors), stride, _at(kept))
        return kept

    def moved(
        self, vectors: Vectors, row_of: Numbers, stride: int, kept: NDArray[np.float32], height: int
    ) -> Doubles:
        """The sums of squares, per row, of the move since `keep` and of the values kept."""
        room = array("d", bytes(2 * 8 * height))
        moved = _at(room)
        self._moved(
            *_vectors(vectors), _at(row_of), len(vectors), stride, _at(kept),
            moved, moved + 8 * height,
        )  # fmt: skip
        return np.frombuffer(room).reshape(2, height)

    def levels(self, vectors: Vectors) -> NDArray[np.float32]:
        """Mean, variance, largest absolute value and non-finiteness of each vector, [4, n]."""
        result, at = _table(4, len(vectors))
        self._levels(*_vectors(vectors), len(vectors), at)
        return result

    def input(self, tensor: Tensor, few: int) -> list[float]:
        """Count, non-finite values, mean, variance, smallest and largest value of a batch, and
        the number of features, in whatever order, that are constant over its first `few` rows."""
        result, rows = array("d", bytes(8 * 7)), tensor.shape[0]
        self._input(tensor.data_ptr(), rows, tensor.numel() // rows, few, _at(result))
        return result.tolist()

    def output(self, tensor: Tensor) -> list[float]:
        """Smallest and largest value, and the mean distance of the sum of a row from one."""
        result, width = array("d", bytes(8 * 3)), tensor.shape[-1]
        self._output(tensor.data_ptr(), tensor.numel() // width, width, _at(result))
        return result.tolist()

    def labels(self, tensor: Tensor, batch: int, counts: Numbers, stamps: Numbers) -> list[int]:
        """Count int64 labels; smallest, largest, number of distinct ones, number out of range."""
        result = array("q", bytes(8 * 3))
        outside = self._labels(
            tensor.data_ptr(), tensor.numel(), len(counts), batch,
            _at(counts), _at(stamps), _at(result),
        )  # fmt: skip
        return [*result.tolist(), int(outside)]

    def dead(self, tensor: Tensor, unit: int) -> int:
        """How many units along the axis `unit` are nowhere above zero."""
        shape = tensor.shape
        outer, inner = math.prod(shape[:unit]), math.prod(shape[unit + 1 :])
        if unit == 1 and has_channels_last(tensor):
            outer, inner = outer * inner, 1
        return int(self._dead(tensor.data_ptr(), outer, shape[unit], inner))

    def outside(self, tensor: Tensor, low: float, high: float) -> int:
        """How many values lie below `low` or above `high`."""
        return int(self._outside(tensor.data_ptr(), tensor.numel(), low, high))


_TYPES: dict[str, Any] = {"p": ctypes.c_void_p, "i": ctypes.c_int64, "f": ctypes.c_float}


def _function(
    function: ctypes._NamedFuncPointer,
    arguments: str,
    result: type[Any] | None = None,
) -> ctypes._NamedFuncPointer:
    function.argtypes = [_TYPES[letter] for letter in arguments]
    function.restype = result
    return function


def _at(numbers: NDArray[np.generic] | array[Any]) -> int:
    # In a training loop all caches are cold: asking a NumPy array takes microseconds there, and
    # twice as many by way of its `ctypes`.
    if isinstance(numbers, array):
        return numbers.buffer_info()[0]
    address: int = numbers.__array_interface__["data"][0]
    return address


def _table(height: int, width: int) -> tuple[NDArray[np.float32], int]:
    """A new table of float32 and its address."""
    room = array("f", bytes(4 * height * width))
    return np.frombuffer(room, np.float32).reshape(height, width), _at(room)


def _vectors(vectors: Vectors) -> tuple[int, int]:
    return _at(vectors.pointers), _at(vectors.sizes)


def _load() -> Kernel | None:
    if os.environ.get("PARAMEDIC_NATIVE", "on").strip().lower() in ("off", "0", "false", "no"):
        return None
    return load(Path(__file__).parent)


def load(folder: Path) -> Kernel | None:
    """The library in this folder, if it was built from the source beside it for this module.

    It is looked at before it is loaded: functions that take other arguments would write anywhere.
    """
    path = folder / ("kernel.dll" if os.name == "nt" else "kernel.so")
    if not path.exists():
        return None
    try:
        source = hashlib.sha256((folder / "kernel.c").read_bytes()).hexdigest()
        if f"paramedic kernel, abi {ABI}, source {source}.".encode() not in path.read_bytes():
            raise OSError("it was built from another version of `kernel.c`")
        return Kernel(ctypes.CDLL(str(path)))
    except (OSError, AttributeError) as error:
        logging.getLogger("paramedic").warning(
            "The native kernel `%s` is not used: %s. NumPy takes its place, and looks cost more; "
            "to build it again, install Paramedic again.",
            path,
            error,
        )
        return None


kernel = _load()
