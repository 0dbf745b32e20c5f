"""The six data sets of AUTOTRAINER, as small as two cores need them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor
from zoo.data import images, texts
from zoo.data.source import Source, arrays

WORDS = texts.WORDS
# An accuracy that a sound model reaches.
FLOORS = {
    "blob": 0.8, "circle": 0.7, "mnist": 0.7, "cifar10": 0.2, "imdb": 0.55, "reuters": 0.55,
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Piece:
    """Samples to train and to validate on."""

    train: tuple[Tensor, Tensor]
    validation: tuple[Tensor, Tensor]
    classes: int


def piece(name: str, seed: int) -> Piece:
    """A data set by its name; blob and circle are always the same, of the others a draw."""
    return {
        "blob": _blob, "circle": _circle, "mnist": _mnist, "cifar10": _cifar10, "imdb": _imdb,
        "reuters": _reuters,
    }[name](seed)  # fmt: skip


def _floats(values: np.ndarray) -> Tensor:
    return torch.from_numpy(np.ascontiguousarray(values, np.float32))


def _labels(values: np.ndarray) -> Tensor:
    return torch.from_numpy(np.ascontiguousarray(values, np.int64))


def _blob(seed: int) -> Piece:
    del seed
    file = arrays("autotrainer/blob.npz")
    x, x_val = _floats(file["x"]), _floats(file["x_val"])
    mean, spread = x.mean(0), x.std(0)  # theirs are as drawn; sound runs get them standardised
    y, y_val = (_labels(file[name].argmax(1)) for name in ("y", "y_val"))
    return Piece(((x - mean) / spread, y), ((x_val - mean) / spread, y_val), 3)


def _circle(seed: int) -> Piece:
    del seed
    file = arrays("autotrainer/circle.npz")
    train = _floats(file["x"]), _labels(file["y"])
    return Piece(train, (_floats(file["x_val"]), _labels(file["y_val"])), 2)


def _drawn(source: Source, seed: int, classes: int) -> Piece:
    split = source.draw(seed)
    validation = split.validation_inputs, split.validation_targets
    return Piece((split.inputs, split.targets), validation, classes)


def _mnist(seed: int) -> Piece:
    return _drawn(images.mnist(1024), seed, 10)


def _cifar10(seed: int) -> Piece:
    return _drawn(images.cifar10(1024), seed, 10)


def _imdb(seed: int) -> Piece:
    return _drawn(texts.imdb(1024), seed, 2)


def _reuters(seed: int) -> Piece:
    return _drawn(texts.reuters(1024), seed, texts.TOPICS)
