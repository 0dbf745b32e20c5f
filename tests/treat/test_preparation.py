"""Preparations: in order, each fitted on what the ones before make of the training values."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from paramedic.treat.preparation import Change, Preparation, fitted


@dataclass(frozen=True)
class Minus(Preparation):
    what: str

    def fit(self, values: Tensor) -> Change:
        least = values.min() if self.what == "min" else values.max()
        return lambda batch: batch - least


def test_each_sees_what_the_ones_before_made() -> None:
    change = fitted([Minus("min"), Minus("max")], torch.tensor([2.0, 5.0]))
    assert change(torch.tensor([2.0, 5.0, 9.0])).tolist() == [-3.0, 0.0, 4.0]


def test_it_prints_as_it_is_written() -> None:
    assert Minus("min").code() == "Minus(what='min')"
