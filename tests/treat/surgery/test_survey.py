from __future__ import annotations

import pytest
import torch
from torch import Tensor, nn

from paramedic.treat.surgery import Refusal
from paramedic.treat.surgery.survey import survey
from tests.treat.surgery.architectures import ARCHITECTURES, FunctionalCnn, Optional


def test_modules_and_functions_are_seen_in_order() -> None:
    steps = survey(FunctionalCnn(), torch.randn(2, 1, 8, 8)).steps
    told = [(step.kind, step.name) for step in steps if step.kind not in ("shape", "pool")]
    assert told == [
        ("input", ""), ("layer", "conv1"), ("relu", ""), ("layer", "conv2"), ("relu", ""),
        ("layer", "fc1"), ("relu", ""), ("dropout", ""), ("layer", "fc2"), ("logsoftmax", ""),
    ]  # fmt: skip


def test_each_step_knows_what_it_read() -> None:
    found = survey(nn.Sequential(nn.Linear(3, 4), nn.Tanh()), torch.randn(2, 3))
    linear, tanh = found.steps[1:]
    assert linear.sources == (0,)
    assert tanh.sources == (1,)
    assert tanh.shape == (2, 4)
    assert found.output == 2


def test_functions_inside_torch_are_not_told() -> None:
    model = ARCHITECTURES["gru-stack"].model()
    kinds = [step.kind for step in survey(model, ARCHITECTURES["gru-stack"].batch()).steps]
    assert kinds == ["input", "recurrent", "pool", "layer"]


def test_arguments_that_are_no_tensors_are_kept() -> None:
    found = survey(Optional(), torch.randn(2, 8))
    assert found.constants[""] == {"mask": None}


def test_a_model_that_does_not_run_is_refused() -> None:
    with pytest.raises(Refusal, match="does not run on the example"):
        survey(nn.Linear(3, 3), torch.randn(2, 4))


class _NewGELU(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        return 0.5 * x * (1.0 + torch.tanh(0.8 * (x + 0.04 * x**3)))


class _OwnTanh(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        return x.tanh()


def test_an_activation_of_the_users_is_one_step() -> None:
    model = nn.Sequential(nn.Linear(3, 4), _NewGELU(), nn.Linear(4, 4), _OwnTanh())
    found = survey(model, torch.randn(2, 3))
    assert [(step.kind, step.name) for step in found.steps] == [
        ("input", ""), ("layer", "0"), ("custom", "1"), ("layer", "2"), ("tanh", "3"),
    ]  # fmt: skip
    assert [step.sources for step in found.steps] == [(), (0,), (1,), (2,), (3,)]
    assert found.output == 4
