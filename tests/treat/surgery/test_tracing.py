from __future__ import annotations

import copy
import io

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from paramedic.treat.surgery import Refusal, replace_activations
from tests.treat.surgery.architectures import FunctionalCnn, Optional, Unused


class _Constant(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.fc = nn.Linear(3, 3)

    def forward(self, x: Tensor) -> Tensor:
        return self.fc(F.relu(self.fc(x)) + torch.randn(3))


class _ModeDependent(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.fc = nn.Linear(3, 3)

    def forward(self, x: Tensor) -> Tensor:
        y = F.relu(self.fc(x))
        return self.fc(y) if self.training else self.fc(2 * y)


class _InPlace(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.fc = nn.Linear(3, 3)

    def forward(self, x: Tensor) -> Tensor:
        x = self.fc(x)
        F.relu(x, inplace=True)
        return self.fc(x)


@pytest.mark.parametrize(
    ("model", "words"),
    [
        (_Constant(), "makes a tensor in its code"),
        (_ModeDependent(), "something else in training"),
        (_InPlace(), "works in place"),
    ],
)
def test_what_tracing_would_change_silently_is_refused(model: nn.Module, words: str) -> None:
    with pytest.raises(Refusal, match=words):
        replace_activations(model, torch.randn(2, 3), "tanh")


def test_hooks_would_be_lost() -> None:
    model = Unused()
    model.register_forward_hook(lambda *_: None)
    with pytest.raises(Refusal, match="has hooks"):
        replace_activations(model, torch.randn(2, 8), "tanh")


def test_functional_dropout_still_follows_the_mode() -> None:
    torch.manual_seed(0)
    x = torch.randn(4, 1, 8, 8)
    model = replace_activations(FunctionalCnn(), x, "tanh").model
    model.eval()
    assert torch.equal(model(x), model(x))
    model.train()
    assert not torch.equal(model(x), model(x))


def test_what_the_code_does_not_mention_is_kept_also_in_copies() -> None:
    before = Unused()
    after = replace_activations(before, torch.randn(2, 8), "tanh").model
    for model in (after, copy.deepcopy(after)):
        assert model.title == "kept"
        assert list(model.state_dict()) == list(before.state_dict())
        assert type(model).__name__ == "Unused"


def test_a_traced_model_can_be_saved_whole() -> None:
    x = torch.randn(2, 8)
    model = replace_activations(Unused(), x, "tanh").model
    file = io.BytesIO()
    torch.save(model, file)
    file.seek(0)
    again = torch.load(file, weights_only=False)
    assert torch.equal(again(x), model(x))


def test_arguments_keep_their_names_and_a_fixed_one_is_guarded() -> None:
    x = torch.randn(2, 8)
    model = replace_activations(Optional(), x, "tanh").model
    assert model(x=x, mask=None).shape == (2, 2)
    with pytest.raises(Exception, match="mask has been specialized"):
        model(x, mask=torch.ones(2, 8))


def test_other_modules_are_not_traced() -> None:
    model = nn.Sequential(Unused(), nn.Linear(2, 2))
    after = replace_activations(model, torch.randn(2, 8), "tanh").model
    assert type(after) is nn.Sequential
    assert type(after[1]) is nn.Linear
