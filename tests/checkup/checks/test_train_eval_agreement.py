from __future__ import annotations

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from tests.checkup.case import Case, normal
from tests.checkup.sound import SOUND

CHECK = "train-eval-agreement"


class Switch(nn.Module):
    """Does one thing in training, another in evaluation."""

    def __init__(self, trained: object, evaluated: object) -> None:
        super().__init__()
        self.inner = nn.Linear(4, 3)
        self.trained, self.evaluated = trained, evaluated

    def forward(self, x: Tensor) -> Tensor:
        function = self.trained if self.training else self.evaluated
        return function(self.inner(x))  # type: ignore[operator]


def same(h: Tensor) -> Tensor:
    return h


@pytest.mark.parametrize(
    ("trained", "evaluated", "words"),
    [
        (same, same, "same output"),
        (lambda h: F.dropout(h, 0.5), same, "from dropout"),
        (lambda h: h + torch.randn_like(h), same, "from random draws"),
        (same, lambda h: h.softmax(-1), "a softmax in evaluation mode"),
        (same, torch.sigmoid, "a sigmoid in evaluation mode"),
    ],
)
def test_what_explains_a_difference(trained: object, evaluated: object, words: str) -> None:
    entry = Case(Switch(trained, evaluated), normal(6, 4)).entry(CHECK)
    assert entry.status == "passed", entry.reason
    assert words in entry.reason


def test_what_does_not() -> None:
    entry = Case(Switch(lambda h: 2 * h, same), normal(6, 4)).entry(CHECK)
    assert "something asks for `self.training`" in entry.reason


def test_other_shapes_are_not_compared() -> None:
    entry = Case(Switch(same, lambda h: h.argmax(-1).float()), normal(6, 4)).entry(CHECK)
    assert "[6, 3] in training, [6] in evaluation" in entry.reason


def test_batch_norm_and_spectral_norm() -> None:
    batch = nn.Sequential(nn.Linear(4, 4), nn.BatchNorm1d(4))
    assert "batch normalisation" in Case(batch, normal(6, 4)).entry(CHECK).reason
    spectral = nn.utils.parametrizations.spectral_norm(nn.Linear(4, 4))
    assert Case(spectral, normal(6, 4)).entry(CHECK).status == "passed"


def test_samples_may_be_drawn_in_evaluation() -> None:
    entry = SOUND["vae"]().entry(CHECK)
    assert entry.status == "passed"
    assert "samples are drawn" in entry.reason
