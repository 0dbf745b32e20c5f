from __future__ import annotations

import pytest
from torch import nn

from paramedic.treat.remedies.substitute_activation import SubstituteActivation
from paramedic.treat.remedy import Refusal
from tests.treat.plans import plan
from tests.treat.remedies.findings import finding

VANISHING = finding("vanishing-gradient")


def _kinds(model: nn.Module) -> list[str]:
    return [type(one).__name__ for one in model.modules() if not list(one.children())]


def test_only_what_is_to_blame_is_replaced() -> None:
    mixed = nn.Sequential(
        nn.Linear(2, 8), nn.Sigmoid(), nn.Linear(8, 8), nn.ReLU(), nn.Linear(8, 2)
    )
    relu = SubstituteActivation("relu").apply(plan(model=mixed), VANISHING)
    assert _kinds(relu.plan.build_model())[1::2] == ["ReLU", "ReLU"]
    leaky = SubstituteActivation("leakyrelu").apply(plan(model=mixed), finding("dying-relu"))
    assert _kinds(leaky.plan.build_model())[1::2] == ["Sigmoid", "LeakyReLU"]


def test_what_makes_the_problem_is_no_remedy() -> None:
    with pytest.raises(Refusal, match="itself what makes dying-relu"):
        SubstituteActivation("relu").apply(plan(), finding("dying-relu"))
