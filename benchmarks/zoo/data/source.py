"""A piece of data that can be drawn again and again, and where the files are."""

from __future__ import annotations

import gzip
import os
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

REPOSITORY = Path(__file__).resolve().parents[3]
VALIDATION = 300  # samples to validate on, in every run


@dataclass(frozen=True, slots=True)
class Split:
    """Samples to train on and samples to validate on."""

    inputs: Tensor
    targets: Tensor
    validation_inputs: Tensor
    validation_targets: Tensor


Change = Callable[[Split, torch.Generator], Split]


@dataclass(frozen=True, slots=True)
class Source:
    """A data set, how many samples of it are trained on, and what was done to them.

    `load` draws a split by a seed. `changes` are applied one after the other, so that a fault in
    the data is one more entry and the sound data stay beside the sick.
    """

    name: str
    samples: int
    load: Callable[[int, int], Split]
    changes: tuple[Change, ...] = ()

    def draw(self, seed: int) -> Split:
        """The split of this seed, changed."""
        split = self.load(self.samples, seed)
        generator = torch.Generator().manual_seed(seed + 1000)
        for change in self.changes:
            split = change(split, generator)
        return split

    def changed(self, *changes: Change) -> Source:
        return replace(self, changes=(*self.changes, *changes))

    def sized(self, samples: int) -> Source:
        return replace(self, samples=samples)


def folder() -> Path:
    """Where the data are: the environment variable PARAMEDIC_DATA, or beside the repository."""
    default = REPOSITORY.parent / "shared" / "data"
    return Path(os.environ.get("PARAMEDIC_DATA", default))


@lru_cache(maxsize=4)
def arrays(name: str) -> dict[str, NDArray[np.generic]]:
    """The arrays of an npz file of the data folder."""
    with np.load(_existing(name), allow_pickle=False) as file:
        return {key: file[key] for key in file.files}


@lru_cache(maxsize=2)
def text(name: str) -> str:
    """The text of a gzip file of the data folder."""
    return gzip.decompress(_existing(name).read_bytes()).decode("utf-8", errors="replace")


def _existing(name: str) -> Path:
    path = folder() / name
    if not path.is_file():
        raise FileNotFoundError(
            f"The data file `{name}` is not in `{folder()}`. "
            "Set the environment variable PARAMEDIC_DATA to the folder that has it."
        )
    return path


def split(inputs: NDArray[np.generic], targets: NDArray[np.generic], size: int, seed: int) -> Split:
    """Draw `size` samples and as many for validation as every run has, without overlap."""
    if size + VALIDATION > len(inputs):
        raise ValueError(f"There are {len(inputs)} samples but {size} + {VALIDATION} were asked.")
    order = np.random.default_rng(seed).permutation(len(inputs))
    train, validation = order[:size], order[size : size + VALIDATION]
    return Split(
        _tensor(inputs[train]),
        _tensor(targets[train]),
        _tensor(inputs[validation]),
        _tensor(targets[validation]),
    )


def _tensor(values: NDArray[np.generic]) -> Tensor:
    kind = np.float32 if np.issubdtype(values.dtype, np.floating) else np.int64
    return torch.from_numpy(np.ascontiguousarray(values, dtype=kind))
