"""The data of the three tasks, small enough for a trial to take seconds."""

from __future__ import annotations

import gzip
import os
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


class Split(NamedTuple):
    """Inputs and targets, to train on and to validate with."""

    x: Tensor
    y: Tensor
    x_validation: Tensor
    y_validation: Tensor


@cache
def images(train: int = 2000, validation: int = 2000) -> Split:
    """CIFAR-10, each image made half as wide and high.

    With fewer images to validate with, good trials differ by less than the noise of their values.
    """
    with np.load(FOLDER / "cifar10" / "cifar10_10k_2k.npz") as file:
        x, y = file["x_train"][:train], file["y_train"][:train]
        xv, yv = file["x_test"][:validation], file["y_test"][:validation]
    labels = [torch.from_numpy(one.astype(np.int64)) for one in (y, yv)]
    return Split(_pixels(x), labels[0], _pixels(xv), labels[1])


def _pixels(images: np.ndarray) -> Tensor:
    x = torch.from_numpy(images).permute(0, 3, 1, 2).float() / 255.0
    return (avg_pool2d(x, 2) - 0.47) / 0.25


@cache
def rows(train: int = 2000, validation: int = 2000) -> Split:
    """The same images as sequences of rows."""
    x, y, xv, yv = images(train, validation)
    return Split(_rows(x), y, _rows(xv), yv)


def _rows(x: Tensor) -> Tensor:
    return x.permute(0, 2, 1, 3).flatten(2).contiguous()


@cache
def rates(train: int = 800, validation: int = 400) -> Split:
    """Exchange rates: 96 days of eight currencies, and the 96 days after them."""
    with gzip.open(FOLDER / "exchange_rate" / "exchange_rate.csv.gz", "rt") as file:
        table = np.loadtxt(file, delimiter=",", dtype=np.float32)
    border = int(0.7 * len(table))
    table = (table - table[:border].mean(0)) / table[:border].std(0)
    past = _windows(table[:border], train)
    later = _windows(table[border - HISTORY : int(0.8 * len(table))], validation)
    return Split(*past, *later)


def _windows(table: np.ndarray, count: int) -> tuple[Tensor, Tensor]:
    starts = np.linspace(0, len(table) - HISTORY - HORIZON, count).astype(int)
    whole = torch.from_numpy(np.stack([table[s : s + HISTORY + HORIZON] for s in starts]))
    return whole[:, :HISTORY].contiguous(), whole[:, HISTORY:].contiguous()
