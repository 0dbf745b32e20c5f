from __future__ import annotations

import pytest
from torch import nn

from paramedic.treat.remedies import remedy
from paramedic.treat.remedy import Refusal
from tests.treat.plans import network, plan
from tests.treat.remedies.findings import finding

VANISHING = finding("vanishing-gradient")


def _kinds(model: nn.Module) -> list[str]:
    return [type(one).__name__ for one in model.modules() if not list(one.children())]


def test_two_together() -> None:
    both = remedy("relu-and-normalise").apply(plan(model=network(nn.Sigmoid)), VANISHING)
    kinds = _kinds(both.plan.build_model())
    assert kinds.count("ReLU") == kinds.count("BatchNorm1d") == 2
    assert "Replaced sigmoid" in both.description
    assert "Inserted nn.BatchNorm1d" in both.description
    with pytest.raises(Refusal):
        remedy("relu-and-normalise").apply(plan(), VANISHING)
