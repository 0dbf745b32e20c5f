from __future__ import annotations

import pytest
import torch

from paramedic.integrations.epochs import epoch_values


@pytest.mark.parametrize(
    ("theirs", "ours"),
    [
        ("loss", "train_loss"),
        ("accuracy", "train_acc"),
        ("val_accuracy", "val_acc"),
        ("eval_loss", "val_loss"),
        ("valid/loss", "val_loss"),
        ("validation_loss", "val_loss"),
        ("train_loss", "train_loss"),
        ("bleu", "bleu"),
        ("val_f1_macro", "val_f1_macro"),
    ],
)
def test_names(theirs: str, ours: str) -> None:
    assert epoch_values({theirs: torch.tensor(0.5)}, "train") == {ours: 0.5}


def test_what_is_no_quality_is_left_out() -> None:
    told = {"eval_runtime": 1.0, "eval_samples_per_second": 2.0, "epoch": 3.0, "note": "text"}
    assert epoch_values(told) == {}
    assert epoch_values({"loss": 1.0}) == {"loss": 1.0}
