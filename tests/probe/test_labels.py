"""Counting labels."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from paramedic.probe.batch import Batch, batch_scalars
from paramedic.probe.labels import Labels

NAN = float("nan")


def test_labels_are_counted(way: str) -> None:
    labels = Labels()
    for target in (torch.tensor([0, 2, 2, 1]), torch.tensor([2, 2, 2])):
        found = batch_scalars(Batch(target=target), labels)
    assert labels.table() == {0: 1, 1: 1, 2: 5}
    shares = np.array([1, 1, 5]) / 7
    assert found.pop("label_entropy") == pytest.approx(float(-(shares * np.log(shares)).sum()))
    assert found.pop("label_majority") == pytest.approx(5 / 7)
    assert found == {
        "target_nan": 0.0, "target_min": 2.0, "target_max": 2.0,
        "target_constant": 1.0, "target_classes": 1.0,
    }  # fmt: skip


@pytest.mark.parametrize("dtype", [torch.uint8, torch.int32, torch.int64])
def test_labels_of_any_width(way: str, dtype: torch.dtype) -> None:
    labels = Labels()
    batch_scalars(Batch(target=torch.tensor([[7, 0], [7, 3]], dtype=dtype)), labels)
    assert labels.table() == {0: 1, 3: 1, 7: 2}
    assert {type(label) for label in labels.table()} == {int}


def test_labels_below_zero_and_far_above(way: str) -> None:
    labels = Labels()
    found = batch_scalars(Batch(target=torch.tensor([-100, 5, -100, 10**12])), labels)
    assert labels.table() == {-100: 2, 5: 1, 10**12: 1}
    assert (found["target_min"], found["target_max"]) == (-100.0, 1e12)
    assert found["target_classes"] == 3.0


def test_labels_are_not_counted_without_end(way: str) -> None:
    labels = Labels()
    for start in range(0, 40_000, 500):
        batch_scalars(Batch(target=torch.arange(start, start + 500)), labels)
    assert 10_000 <= len(labels.table()) <= 20_500


def test_boolean_labels_are_counted(way: str) -> None:
    labels = Labels()
    found = batch_scalars(Batch(target=torch.tensor([True, False, True])), labels)
    assert labels.table() == {0: 1, 1: 2}
    assert found["target_classes"] == 2.0


def test_real_targets_are_not_labels(way: str) -> None:
    labels = Labels()
    found = batch_scalars(Batch(target=torch.tensor([[0.5], [2.5], [NAN], [1.0]])), labels)
    assert not labels.table()
    assert "target_classes" not in found
    assert found["target_nan"] == 0.25
    assert (found["target_min"], found["target_max"]) == (0.5, 2.5)
    assert found["target_constant"] == 0.0
    constant = batch_scalars(Batch(target=torch.full((5, 1), 3.0)), Labels())
    assert constant["target_constant"] == 1.0
