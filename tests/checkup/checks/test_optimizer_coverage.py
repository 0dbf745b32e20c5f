from __future__ import annotations

import torch
from torch import Tensor, nn

from tests.checkup.case import Case, adam, labels, normal
from tests.checkup.sound import SOUND, mlp

CHECK = "optimizer-coverage"


def test_frozen_parameters_need_no_optimizer() -> None:
    assert SOUND["fine-tuning-a-frozen-backbone"]().entry(CHECK).status == "passed"


def test_tied_parameters_count_once() -> None:
    assert SOUND["gpt-with-tied-weights"]().entry(CHECK).status == "passed"


def test_the_missing_ones_are_named() -> None:
    model = mlp(5, 3)
    case = Case(model, normal(6, 5), None, torch.optim.SGD(model[0].parameters(), 0.1))
    (finding,) = case.entry(CHECK).findings
    assert finding.where == ("2.weight", "2.bias", "4.weight", "4.bias")


class Stray(nn.Module):
    """A tensor that learns but is no parameter."""

    def __init__(self) -> None:
        super().__init__()
        self.inner = nn.Linear(5, 3)
        self.scale = torch.ones(3, requires_grad=True)

    def forward(self, x: Tensor) -> Tensor:
        return self.inner(x) * self.scale


def test_tensors_that_are_no_parameters() -> None:
    model = Stray()
    batch, loss = (normal(6, 5), labels(6, 3)), nn.CrossEntropyLoss()
    for optimizer in (None, adam(model)):
        entry = Case(model, batch, loss, optimizer).entry(CHECK)
        assert "1 tensors that require a gradient" in entry.reason
        assert entry.findings[0].evidence["shapes"] == [[3]]


def test_unless_the_optimizer_holds_them() -> None:
    model = Stray()
    both = torch.optim.Adam([*model.parameters(), model.scale])
    assert Case(model, normal(6, 5), None, both).entry(CHECK).status == "passed"


def test_parameters_of_the_loss_are_no_strays() -> None:
    class Weighted(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.weight = nn.Parameter(torch.ones(()))

        def forward(self, output: Tensor, target: Tensor) -> Tensor:
            return self.weight * nn.functional.cross_entropy(output, target)

    model = mlp(5, 3)
    case = Case(model, (normal(6, 5), labels(6, 3)), Weighted(), adam(model))
    assert case.entry(CHECK).status == "passed"


def test_no_optimizer() -> None:
    assert "no optimizer" in Case(mlp(5, 3), normal(6, 5)).entry(CHECK).reason.lower()
