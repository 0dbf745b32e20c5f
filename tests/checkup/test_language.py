from __future__ import annotations

import torch
from torch import Tensor

from paramedic.checkup.batch import Batch
from paramedic.checkup.language import is_language_model, per_token

from .case import labels, normal
from .gpt import tokens


def judged(x: Tensor, y: Tensor, output: Tensor, *, axis: int = 0, itself: bool = False) -> bool:
    batch = Batch.of((x, y), lambda nest: nest[-1], axis)
    return is_language_model(batch, output, {0}, shifts_itself=itself)


def test_targets_that_follow() -> None:
    x, y = tokens(3, 8)
    assert judged(x, y, normal(3, 8, 31))
    assert judged(x, y.flatten(), normal(24, 31))
    assert judged(x, y, normal(3, 31, 8))
    assert judged(x.t(), y.t(), normal(8, 3, 31), axis=1)


def test_ignored_targets_do_not_count() -> None:
    x, y = tokens(3, 8)
    y = y.clone()
    y[:, :3] = -100
    assert judged(x, y, normal(3, 8, 31))
    assert not judged(x, torch.full_like(y, -100), normal(3, 8, 31))


def test_other_tasks() -> None:
    x, y = tokens(3, 8)
    assert not judged(x, labels(24, 31).view(3, 8), normal(3, 8, 31))  # tagging
    assert not judged(x, y, normal(3, 31))  # one prediction for all
    assert not judged(x, x, normal(3, 8, 31))  # copying
    assert not judged(x, y.float(), normal(3, 8, 31))


def test_a_model_that_shifts_itself() -> None:
    x, _ = tokens(3, 8)
    assert judged(x, x, normal(3, 8, 31), itself=True)


def test_predictions_per_token() -> None:
    x, y = tokens(3, 8)
    batch = Batch.of((x, y), lambda nest: nest[-1])
    rows = normal(24, 31)
    expected = rows.view(3, 8, 31)
    assert torch.equal(per_token(rows, batch), expected)  # type: ignore[arg-type]
    turned = expected.transpose(1, 2)
    assert torch.equal(per_token(turned, batch), expected)  # type: ignore[arg-type]
    assert per_token(normal(3, 31), batch) is None
