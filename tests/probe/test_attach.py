"""What `watch` accepts, and what it says to what it does not."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch import nn

import paramedic


def _pair() -> tuple[nn.Linear, torch.optim.Optimizer]:
    model = nn.Linear(3, 2)
    return model, torch.optim.SGD(model.parameters(), lr=0.1)


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"overhead": 0}, "`overhead` must be a share .* but got 0"),
        ({"overhead": 2.0}, "but got 2.0"),
        ({"overhead": "1%"}, "but got '1%'"),
        ({"measure": "ful"}, "`measure` must be one of .* Did you mean 'full'?"),
        ({"on_nan": "raise"}, "`on_nan` must be one of 'locate', 'replay', 'off' but got 'raise'"),
        ({"task": "multiclass"}, "Did you mean 'multi-class'?"),
        ({"accumulate": 0}, "`accumulate` must be a whole number of at least 1 but got 0"),
        ({"size_limit": 10}, "`size_limit` must be a whole number of at least 65536"),
    ],
)
def test_bad_settings_fail_when_attached(settings: dict[str, Any], words: str) -> None:
    backward = torch.autograd.backward
    with pytest.raises(ValueError, match=words):
        paramedic.watch(*_pair(), **settings)
    assert torch.autograd.backward is backward


def test_bad_models_and_optimizers() -> None:
    model, optimizer = _pair()
    with pytest.raises(TypeError, match=r"`model` must be an `nn.Module`.* but got int"):
        paramedic.watch(3, optimizer)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"`optimizer` must be .* but got float"):
        paramedic.watch(model, 0.1)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="`optimizer` must not be an empty list"):
        paramedic.watch(model, [])
    with pytest.raises(ValueError, match="`model` must not be empty"):
        paramedic.watch([], optimizer)
    with pytest.raises(TypeError, match="`loss_fn` must be a module or a function but got str"):
        paramedic.watch(model, optimizer, loss_fn="mse")  # type: ignore[arg-type]


def test_nothing_to_train_is_said_at_once() -> None:
    model, optimizer = _pair()
    model.requires_grad_(False)
    with pytest.raises(ValueError, match="The model `Linear` has no trainable parameter"):
        paramedic.watch(model, optimizer)
    with pytest.raises(ValueError, match="`ReLU` has no trainable parameter"):
        paramedic.watch(nn.ReLU(), optimizer)


def test_a_bad_switch_in_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PARAMEDIC", "maybe")
    with pytest.raises(ValueError, match="PARAMEDIC must be `on` or `off` but is 'maybe'"):
        paramedic.watch(*_pair())


def test_several_models_by_list_and_by_name() -> None:
    first, second = nn.Linear(3, 3), nn.Linear(3, 2)
    optimizer = torch.optim.SGD([*first.parameters(), *second.parameters()], lr=0.1)
    for models, names in (([first, second], ("0", "1")), ({"a": first, "b": second}, ("a", "b"))):
        with paramedic.watch(models, optimizer, overhead=None, strict=True) as monitor:
            second(first(torch.ones(2, 3))).sum().backward()
            optimizer.step()
            assert monitor.window().names == names


class Wrapper(torch.optim.Optimizer):
    """What Accelerate does: an optimizer that never called its parent's constructor."""

    def __init__(self, optimizer: torch.optim.Optimizer) -> None:
        self.optimizer = optimizer

    def step(self, closure: Any = None) -> Any:
        return self.optimizer.step(closure)


def test_a_wrapped_optimizer_is_found() -> None:
    model, optimizer = _pair()
    wrapped = Wrapper(optimizer)
    with paramedic.watch(model, wrapped, overhead=None, strict=True) as monitor:
        model(torch.ones(2, 3)).sum().backward()
        wrapped.step()
        assert monitor.last_step == 0


def test_data_parallel_keeps_the_users_names() -> None:
    inner = nn.Sequential(nn.Linear(3, 2))
    model = nn.DataParallel(inner)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    with paramedic.watch(model, optimizer, overhead=None, strict=True) as monitor:
        model(torch.ones(2, 3)).sum().backward()
        optimizer.step()
        assert monitor.window().names == ("0",)
