from __future__ import annotations

import torch
from torch import nn

from paramedic.treat.remedies.operating import operated
from paramedic.treat.surgery import insert_normalisation
from tests.treat.plans import network, plan


def _kinds(model: nn.Module) -> list[str]:
    return [type(one).__name__ for one in model.modules() if not list(one.children())]


def test_the_plan_is_another_and_its_first_weights_are_kept() -> None:
    sick = plan(model=network(nn.Sigmoid))
    treated = operated(sick, insert_normalisation)
    assert "BatchNorm1d" in _kinds(treated.plan.build_model())
    assert "BatchNorm1d" not in _kinds(sick.build_model())
    before, after = sick.build_model(), treated.plan.build_model()
    assert torch.equal(before[0].weight, after[0].weight)
