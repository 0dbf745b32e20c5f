"""The data of the three tasks, small enough for a trial to take seconds."""

from __future__ import annotations

import gzip
import os
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor
from torch.nn.functional import avg_pool2d

ROOT = Path(__file__).resolve().parents[2]
FOLDER = Path(os.environ.get("PARAMEDIC_DATA", ROOT.parent / "shared" / "data"))
HISTORY = HORIZON = 96
SPANS = 5  # of years


class Split(NamedTuple):
    """Inputs and targets, to train on and to validate with."""

    x: Tensor
    y: Tensor
    x_validation: Tensor
    y_validation: Tensor


@cache
def images(train: int = 2000, validation: int = 10_000) -> Split:
    """CIFAR-10, each image made half as wide and high.

    As many to validate with as the paper has, the first of which are the test images: with few,
    good trials differ by less than the noise of their values.
    """
    with np.load(FOLDER / "cifar10" / "cifar10_10k_2k.npz") as file:
        x, xv = np.split(file["x_train"], [train])
        y, yv = np.split(file["y_train"], [train])
        xv, yv = np.concatenate([file["x_test"], xv]), np.concatenate([file["y_test"], yv])
    labels = [torch.from_numpy(one.astype(np.int64)) for one in (y, yv[:validation])]
    return Split(_pixels(x), labels[0], _pixels(xv[:validation]), labels[1])


def _pixels(images: np.ndarray) -> Tensor:
    x = torch.from_numpy(images).permute(0, 3, 1, 2).float() / 255.0
    return (avg_pool2d(x, 2) - 0.47) / 0.25


@cache
def rows(train: int = 2000, validation: int = 10_000) -> Split:
    """The same images as sequences of rows."""
    x, y, xv, yv = images(train, validation)
    return Split(_rows(x), y, _rows(xv), yv)


def _rows(x: Tensor) -> Tensor:
    return x.permute(0, 2, 1, 3).flatten(2).contiguous()


@cache
def rates(train: int = 800, validation: int = 400) -> Split:
    """Exchange rates: 96 days of eight currencies, and the 96 days after them.

    Each of five spans of years is trained on in its first part and validated with in its last; no
    window reaches over a border. Where only the last years validate, whose level was never seen
    before, the value of a trial is luck: trained with another seed, it hardly repeats.
    """
    with gzip.open(FOLDER / "exchange_rate" / "exchange_rate.csv.gz", "rt") as file:
        table = np.loadtxt(file, delimiter=",", dtype=np.float32)
    spans = np.array_split(table[: int(0.8 * len(table))], SPANS)
    parts = [np.split(span, [int(0.7 * len(span))]) for span in spans]
    first = np.concatenate([one for one, _ in parts])
    scaled = [[(part - first.mean(0)) / first.std(0) for part in both] for both in parts]
    past, later = zip(*scaled, strict=True)
    return Split(*_windows(past, train), *_windows(later, validation))


def _windows(spans: Sequence[np.ndarray], count: int) -> tuple[Tensor, Tensor]:
    """So many windows, evenly spread over all that there are."""
    length = HISTORY + HORIZON
    whole = [span[s : s + length] for span in spans for s in range(len(span) - length + 1)]
    chosen = [whole[place] for place in np.linspace(0, len(whole) - 1, count).astype(int)]
    windows = torch.from_numpy(np.stack(chosen))
    return windows[:, :HISTORY].contiguous(), windows[:, HISTORY:].contiguous()
