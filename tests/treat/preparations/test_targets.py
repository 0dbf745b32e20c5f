from __future__ import annotations

import pytest
import torch
from torch import Tensor

from paramedic.treat.preparation import Preparation
from paramedic.treat.preparations import (
    AsFloat,
    AsLabels,
    AsWhole,
    Enumerate,
    OneHot,
    Rescale,
    Shift,
    Squeeze,
    Unsqueeze,
)

LABELS = torch.tensor([1, 3, 2, 1])


@pytest.mark.parametrize(
    ("preparation", "before", "after"),
    [
        (Shift(), LABELS, LABELS - 1),
        (Shift(by=2), LABELS, LABELS - 2),
        (Enumerate(), torch.tensor([7, 3, 7, 9]), torch.tensor([1, 0, 1, 2])),
        (AsLabels(), torch.eye(3)[[2, 0]], torch.tensor([2, 0])),
        (OneHot(3), torch.tensor([2, 0]), torch.eye(3)[[2, 0]]),
        (Rescale(), torch.tensor([-1.0, 1.0, 0.0]), torch.tensor([0.0, 1.0, 0.5])),
        (Squeeze(), torch.ones(4, 1), torch.ones(4)),
        (Unsqueeze(), torch.ones(4), torch.ones(4, 1)),
        (AsFloat(), LABELS, LABELS.float()),
        (AsWhole(), LABELS.float(), LABELS),
    ],
    ids=repr,
)
def test_each_does_what_it_says(preparation: Preparation, before: Tensor, after: Tensor) -> None:
    changed = preparation.fit(before)(before)
    assert torch.equal(changed, after)
    assert changed.dtype == after.dtype


def test_they_know_the_training_targets_only() -> None:
    assert torch.equal(Shift().fit(LABELS)(torch.tensor([0, 5])), torch.tensor([-1, 4]))
    assert torch.equal(Enumerate().fit(LABELS)(torch.tensor([3, 8])), torch.tensor([2, -100]))
    assert torch.equal(
        Rescale().fit(torch.tensor([0.0, 10.0]))(torch.tensor([20.0])), torch.tensor([1.0])
    )
