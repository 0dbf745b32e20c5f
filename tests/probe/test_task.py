"""The task is inferred from the loss and its targets."""

from __future__ import annotations

import pytest
import torch
from torch import Tensor

from paramedic.probe.batch import Batch
from paramedic.probe.task import infer_task
from paramedic.types import Task

TOKENS = torch.zeros(4, 6, dtype=torch.long)


@pytest.mark.parametrize(
    ("loss", "target", "inputs", "task"),
    [
        ("cross-entropy", torch.zeros(4, dtype=torch.long), [torch.zeros(4, 8)], Task.MULTI_CLASS),
        ("cross-entropy", TOKENS, [TOKENS], Task.LANGUAGE_MODEL),
        ("cross-entropy", TOKENS[:, 1:], [TOKENS], Task.LANGUAGE_MODEL),
        ("binary-cross-entropy", torch.zeros(4, 1), [], Task.BINARY),
        ("binary-cross-entropy", torch.zeros(4, 3), [], Task.MULTI_LABEL),
        ("mse", torch.zeros(4, 1), [], Task.REGRESSION),
        ("Focal", torch.zeros(4), [], Task.UNKNOWN),
        ("mse", None, [], Task.UNKNOWN),
    ],
)
def test_task(loss: str, target: Tensor | None, inputs: list[Tensor], task: Task) -> None:
    found, source = infer_task(Batch(inputs=inputs, loss=loss, target=target))
    assert found is task
    assert source
