"""A step that raises tells which kind of mismatch it is."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch import Tensor, nn

from paramedic.treat.training import Training
from tests.treat.plans import network, plan, points

X, Y = points()


def _one_output() -> nn.Module:
    """A net without a sigmoid whose outputs lie far outside of 0..1."""
    last = nn.Linear(2, 1)
    nn.init.constant_(last.bias, 5.0)
    return nn.Sequential(network(), last)


ONE = _one_output()


def _raises(output: Tensor, target: Tensor) -> Tensor:
    raise RuntimeError("broken")


CASES: list[tuple[dict[str, Any], str]] = [
    ({"train": (X, Y + 1)}, "invalid-labels"),  # 1..K
    ({"train": (X, Y - 1)}, "invalid-labels"),
    ({"train": (X, Y.float())}, "invalid-labels"),  # labels as real numbers
    (
        {"model": ONE, "train": (X, Y.float()[:, None]), "loss": nn.BCELoss()},
        "improper-output-activation",
    ),
    (
        {"model": ONE, "train": (X, Y.float()), "loss": nn.BCEWithLogitsLoss()},
        "loss-shape-mismatch",
    ),
    ({"train": (X, torch.rand(len(X), 3)), "loss": nn.MSELoss()}, "loss-shape-mismatch"),
]


@pytest.mark.parametrize(
    ("changes", "slug"), CASES, ids=[f"{i}-{c[1]}" for i, c in enumerate(CASES)]
)
def test_the_kind_of_mismatch(changes: dict[str, Any], slug: str) -> None:
    training = Training(plan(**changes))
    training.advance(3)
    assert training.finding is not None
    assert training.finding.slug == slug
    assert "The loss cannot be computed" in training.finding.message


def test_the_error_is_kept() -> None:
    training = Training(plan(loss=_raises))
    training.advance(3)
    assert training.failure is not None
    assert training.failure.error == "RuntimeError: broken"
