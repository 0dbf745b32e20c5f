"""How far an optimizer step moves the weights, layer by layer."""

from __future__ import annotations

from array import array

import numpy as np
import torch
from numpy.typing import NDArray

from paramedic.probe import native
from paramedic.probe.layers import Layers
from paramedic.probe.native import Vectors
from paramedic.probe.tensors import values

_KEPT = 2**20  # weights remembered over a step: all of a small model, an even sample of a large one


class Movement:
    """Keeps the weights of `layers` before a step and compares them after it."""

    def __init__(self, layers: Layers) -> None:
        self._parameters = list(layers.parameters)
        self._row_of = array("q", layers.row_of)
        self._height = len(layers.rows)
        self._kept: NDArray[np.float32] | None = None
        self._stride = 1

    def begin(self, vectors: Vectors | None) -> None:
        """The weights are about to move. `vectors` are they as the kernel sees them, if it can."""
        if vectors is not None and native.kernel is not None:
            self._stride = _stride(sum(vectors.sizes))
            self._kept = native.kernel.keep(vectors, self._stride)
        else:
            self._stride = _stride(sum(parameter.numel() for parameter in self._parameters))
            self._kept = np.concatenate(self._strided())

    def end(self) -> dict[str, NDArray[np.float32]]:
        """The norm of the move over the norm of the weights before it."""
        kept, self._kept = self._kept, None
        if kept is None:
            return {}
        moved, old = self._sums(kept)
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            return {"update_ratio": np.sqrt(moved / old).astype(np.float32)}

    def _sums(self, kept: NDArray[np.float32]) -> NDArray[np.float64]:
        vectors = native.vectors_of(self._parameters)
        if vectors is not None and native.kernel is not None:
            return native.kernel.moved(vectors, self._row_of, self._stride, kept, self._height)
        now = self._strided()
        rows = np.repeat(self._row_of, [len(part) for part in now])
        move = np.concatenate(now).astype(np.float64) - kept
        squares = (move**2, kept.astype(np.float64) ** 2)
        return np.stack([np.bincount(rows, square, self._height) for square in squares])

    def _strided(self) -> list[NDArray[np.float32]]:
        flats = [values(parameter).flat for parameter in self._parameters]
        return [flat[:: self._stride].to("cpu", torch.float32).numpy() for flat in flats]


def _stride(total: int) -> int:
    return max(-(-total // _KEPT), 1)
