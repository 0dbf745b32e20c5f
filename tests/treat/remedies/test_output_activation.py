from __future__ import annotations

import pytest
from torch import nn

from paramedic.treat.remedies.output_activation import OutputActivation
from paramedic.treat.remedy import Refusal
from tests.treat.plans import plan
from tests.treat.remedies.findings import finding


def _kinds(model: nn.Module) -> list[str]:
    return [type(one).__name__ for one in model.modules() if not list(one.children())]


@pytest.mark.parametrize(
    ("end", "loss", "expected"),
    [
        (nn.Softmax(dim=-1), nn.CrossEntropyLoss(), "Identity"),
        (nn.ReLU(), nn.CrossEntropyLoss(), "Identity"),
        (nn.Softmax(dim=-1), nn.NLLLoss(), "LogSoftmax"),
        (nn.Identity(), nn.NLLLoss(), "LogSoftmax"),
    ],
)
def test_the_model_ends_in_what_the_loss_takes(
    end: nn.Module, loss: nn.Module, expected: str
) -> None:
    sick = plan(model=nn.Sequential(nn.Linear(2, 2), end), loss=loss)
    treated = OutputActivation().apply(sick, finding("improper-output-activation"))
    assert _kinds(treated.plan.build_model())[-1] == expected


def test_logits_for_a_loss_that_takes_them_are_right() -> None:
    with pytest.raises(Refusal, match="which cross-entropy takes"):
        OutputActivation().apply(plan(), finding("improper-output-activation"))
