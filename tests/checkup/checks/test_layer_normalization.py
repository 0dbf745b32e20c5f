from __future__ import annotations

import torch
from torch import Tensor, nn

from tests.checkup.case import Case, labels, normal
from tests.checkup.gpt import GPT, tokens

CHECK = "layer-normalization"


def test_a_stack_without_normalisation_that_keeps_its_scale_is_told() -> None:
    model = GPT(layers=6, fault="no layer norm")
    for one in model.blocks.parameters():
        nn.init.normal_(one, std=0.02)
    entry = Case(model, tokens()).entry(CHECK)
    assert entry.status == "passed"
    assert "without normalisation" in entry.reason


def test_growth_is_told_with_its_numbers() -> None:
    (finding,) = Case(GPT(layers=6, fault="no layer norm"), tokens()).entry(CHECK).findings
    assert finding.evidence["growth"] > finding.evidence["threshold"] == 10
    assert finding.where[0] == "blocks.0"


def test_short_stacks_are_not_judged() -> None:
    assert Case(GPT(layers=3, fault="no layer norm"), tokens()).entry(CHECK).status == "skipped"


def test_normalising_over_time_on_purpose() -> None:
    class ReversibleInstance(nn.Module):
        """As in forecasting: each series by its own mean and spread, with a scale per series."""

        def __init__(self) -> None:
            super().__init__()
            self.weight = nn.Parameter(torch.ones(4))

        def forward(self, x: Tensor) -> Tensor:
            return self.weight * (x - x.mean(1, keepdim=True)) / (x.std(1, keepdim=True) + 1e-6)

    model = nn.Sequential(ReversibleInstance(), nn.Flatten(), nn.Linear(24, 2))
    case = Case(model, (normal(8, 6, 4), labels(8, 2)), nn.CrossEntropyLoss())
    assert case.entry(CHECK).status == "passed"


def test_nothing_to_check() -> None:
    assert Case(nn.Linear(3, 2), normal(4, 3)).entry(CHECK).status == "skipped"
