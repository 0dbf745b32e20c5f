from __future__ import annotations

import pytest
import torch
from torch import nn

from tests.checkup.case import Case, normal

CHECK = "memory"
MODEL = nn.Linear(1000, 500, bias=False)
WEIGHTS = 1000 * 500 * 4


def test_the_parts_of_a_step() -> None:
    found = Case(MODEL, normal(64, 1000)).entry(CHECK).measured
    assert found["weights"] == WEIGHTS
    assert found["gradients"] == WEIGHTS
    assert found["optimizer"] == 2 * WEIGHTS
    # Kept for the backward pass: the input, the random mix that stands in for a loss.
    assert found["activations"] == pytest.approx(64 * 1500 * 4, rel=0.05)
    assert found["forward"] == pytest.approx(WEIGHTS + 64 * 1500 * 4, rel=0.05)  # with its input


@pytest.mark.parametrize(
    ("make", "states"),
    [
        (lambda p: torch.optim.SGD(p, 0.1), 0),
        (lambda p: torch.optim.SGD(p, 0.1, momentum=0.9), 1),
        (lambda p: torch.optim.RMSprop(p, 0.1), 1),
        (lambda p: torch.optim.AdamW(p, 0.1), 2),
    ],
)
def test_what_the_optimizer_keeps(make: object, states: int) -> None:
    optimizer = make(MODEL.parameters())  # type: ignore[operator]
    found = Case(MODEL, normal(64, 1000), None, optimizer).entry(CHECK).measured
    assert found["optimizer"] == states * WEIGHTS


def test_the_limit() -> None:
    case = Case(MODEL, normal(64, 1000))
    assert case.entry(CHECK, memory_limit=10**9).status == "passed"
    below = case.entry(CHECK, memory_limit=10**6)
    assert "more than the limit that was set (1 MB)" in below.reason
    assert below.findings[0].evidence["threshold"] == 10**6


def test_it_grows_with_the_batch() -> None:
    small, large = (
        Case(MODEL, normal(count, 1000)).entry(CHECK).measured["activations"]
        for count in (10, 1000)
    )
    assert large == pytest.approx(100 * small, rel=0.05)
