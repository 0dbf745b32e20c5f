"""Hooks that survive what is done to modules."""

from __future__ import annotations

import copy
import pickle

import pytest
import torch
from torch import Tensor, nn

from paramedic.inject.hooks import EvaluationHook, InputHook, Spent, TrainingHook, change_first


def _doubled(x: Tensor) -> Tensor:
    return 2 * x


def _hooked(always: bool = False) -> tuple[nn.Module, InputHook]:
    model, hook = nn.Identity(), InputHook(_doubled, always=always)
    model.register_forward_pre_hook(hook, with_kwargs=True)
    return model, hook


def test_the_first_tensor_is_changed_and_the_users_is_not() -> None:
    one, other = torch.ones(2), torch.ones(3)
    changed = change_first((["a", {"x": one}], other), _doubled)
    assert changed[0][1]["x"].tolist() == [2, 2]
    assert changed[1] is other
    assert one.tolist() == [1, 1]
    assert change_first(("a", 1), _doubled) == ("a", 1)


def test_only_with_gradients_unless_always() -> None:
    x = torch.ones(1)
    (one, _), (two, _) = _hooked(), _hooked(always=True)
    assert (one(x).item(), two(x).item()) == (2, 2)
    with torch.no_grad():
        assert (one(x).item(), two(x).item()) == (1, 2)


def test_a_copy_shares_the_switch() -> None:
    model, hook = _hooked()
    twin = copy.deepcopy(model)
    assert twin(torch.ones(1)).item() == 2
    hook.switch_off()
    assert twin(torch.ones(1)).item() == 1


def test_a_pickle_does_nothing() -> None:
    model, _ = _hooked()
    stored = pickle.loads(pickle.dumps(model))
    assert stored(torch.ones(1)).item() == 1
    assert not Spent().on


class Failing(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.dropout = nn.Dropout()

    def forward(self, fail: bool) -> bool:
        if fail:
            raise RuntimeError("no")
        return self.dropout.training


def test_the_mode_is_that_of_evaluation_only_during_the_pass() -> None:
    model = Failing()
    told: list[int] = []
    before = EvaluationHook(lambda: told.append(1))
    model.register_forward_pre_hook(before)
    model.register_forward_hook(TrainingHook(before), always_call=True)
    assert model(False) is False
    assert (model.training, model.dropout.training, told) == (True, True, [1])
    with pytest.raises(RuntimeError, match="no"):
        model(True)
    assert model.dropout.training
    with torch.no_grad():
        assert model(False) is True
    model.dropout.eval()
    model(False)
    assert (model.training, model.dropout.training) == (True, False)
    before.switch_off()
    assert model.train()(False) is True
    assert before.turned == []
