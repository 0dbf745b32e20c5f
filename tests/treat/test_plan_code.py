"""Plans that cannot be written whole: custom modules are described, edits are told."""

from __future__ import annotations

import torch
from torch import nn

from paramedic.treat.plan import Edit
from tests.treat.plans import network, plan


class Custom(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.inner = network()

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.inner(x)  # type: ignore[no-any-return]


def test_a_custom_module_is_described() -> None:
    text = plan(model=Custom()).code()
    assert "model = Custom(…)  # made of:" in text
    assert "#       (0): Linear(in_features=2" in text


def test_nested_containers_are_written_as_they_are_made() -> None:
    nested = nn.Sequential(nn.Sequential(nn.Linear(2, 2), nn.ReLU()), nn.Linear(2, 2))
    text = plan(model=nested).code()
    compile(text, "plan", "exec")
    assert "    nn.Sequential(\n        nn.Linear(in_features=2" in text


def test_edits_that_do_not_show_are_code_and_others_are_told() -> None:
    fresh = Edit("fresh weights", "nn.init.zeros_(model[0].bias)", shows=False)
    swapped = Edit("ReLU for Tanh", "model[1] = nn.ReLU()")
    text = plan(edits=(swapped, fresh)).code()
    assert "# ReLU for Tanh\n# fresh weights\nnn.init.zeros_(model[0].bias)\n" in text
    custom = plan(model=Custom(), edits=(swapped,)).code()
    assert "# ReLU for Tanh\n#   model[1] = nn.ReLU()\n" in custom


def test_functions_schedulers_and_weights_are_named() -> None:
    text = plan(
        loss=nn.functional.cross_entropy,
        scheduler=(torch.optim.lr_scheduler.StepLR, {"step_size": 3}),
    ).code()
    assert "loss=nn.functional.cross_entropy," in text
    assert 'scheduler=(torch.optim.lr_scheduler.StepLR, {"step_size": 3})' in text
    weighted = plan(loss=nn.CrossEntropyLoss(weight=torch.tensor([1.0, 2.0]))).code()
    assert "nn.CrossEntropyLoss(weight=[1.0, 2.0])" in weighted
