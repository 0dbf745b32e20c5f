from __future__ import annotations

import torch
from torch import Tensor, nn

from tests.checkup.case import Case, labels, normal
from tests.checkup.sound import SOUND, mlp

CHECK = "gradient-flow"


def test_without_a_loss_the_outputs_stand_in() -> None:
    entry = Case(mlp(5, 3), normal(6, 5)).entry(CHECK)
    assert entry.status == "passed"
    assert entry.measured == {"trainable": 6, "frozen": 0}


def test_frozen_parameters_are_told() -> None:
    assert "2 are frozen" in _frozen().entry(CHECK).reason


def _frozen() -> Case:
    model = mlp(5, 3)
    model[0].requires_grad_(False)
    return Case(model, normal(6, 5))


def test_what_begins_at_zero_is_not_cut_off() -> None:
    assert SOUND["residual-branches-that-begin-at-zero"]().entry(CHECK).status == "passed"


def test_experts_that_no_sample_is_sent_to() -> None:
    assert SOUND["mixture-of-experts"]().entry(CHECK).status == "passed"


def test_a_bias_before_a_batch_norm_gets_nothing_by_mathematics() -> None:
    class Half(nn.Module):
        """Takes the mean away by hand, so that the gradient of the bias is exactly zero."""

        def __init__(self) -> None:
            super().__init__()
            self.one = nn.Linear(4, 1)

        def forward(self, x: Tensor) -> Tensor:
            h = x @ self.one.weight.t() + 0 * self.one.bias
            return torch.cat([h, -h], 1)

    case = Case(Half(), (normal(6, 4), labels(6, 2)), nn.CrossEntropyLoss())
    assert case.entry(CHECK).status == "passed"


def test_the_missing_ones_are_named() -> None:
    class Unused(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.used, self.unused = nn.Linear(4, 2), nn.Linear(4, 2)

        def forward(self, x: Tensor) -> Tensor:
            return self.used(x)

    (finding,) = Case(Unused(), normal(6, 4)).entry(CHECK).findings
    assert finding.where == ("unused.weight", "unused.bias")
    assert finding.evidence == {"parameters": 2, "of": 4}


def test_no_parameters() -> None:
    assert Case(nn.Flatten(), normal(6, 4)).entry(CHECK).status == "skipped"
