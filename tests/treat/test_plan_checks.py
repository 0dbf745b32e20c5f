"""What is wrong with a plan is told in words, when it is made or before it is trained."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch import nn
from torch.utils.data import TensorDataset

from paramedic.treat.plan_checks import PlanError
from tests.treat.plans import network, plan, points

X, Y = points()
NAN = Y.float()
NAN[3] = float("nan")
FROZEN = network().requires_grad_(False)

BAD: list[tuple[dict[str, Any], str]] = [
    ({"model": nn.ReLU()}, "it has no parameters"),
    ({"model": FROZEN}, "requires_grad=False"),
    ({"model": nn.Linear}, "`model` must be an nn.Module or a function"),
    ({"model": 3}, "`model` must be"),
    ({"loss": nn.MSELoss}, "make one: MSELoss()"),
    ({"loss": "mse"}, "`loss` must be callable"),
    ({"optimizer": "adam"}, "`optimizer` must be a class and its settings"),
    ({"scheduler": 3}, "`scheduler` must be a class and its settings"),
    ({"train": (X[:0], Y[:0])}, "`train` is empty"),
    ({"train": TensorDataset(X[:0], Y[:0])}, "`train` is empty"),
    ({"validation": (X[:0], Y[:0])}, "`validation` is empty"),
    ({"train": (X, Y[:-1])}, "256 inputs but 255 targets"),
    ({"train": (X, NAN)}, "1 of 256 targets are NaN or infinite, the first at index 3"),
    ({"train": (X, Y, Y)}, "has 3 parts"),
    ({"train": (X, "labels")}, "must be tensors or arrays"),
    ({"train": 3}, "a Dataset or a DataLoader"),
    ({"epochs": 0}, "`epochs` must be a whole number of at least 1 but is 0"),
    ({"epochs": 2.5}, "`epochs`"),
    ({"batch_size": -1}, "`batch_size`"),
    ({"seed": -1}, "`seed`"),
    ({"warmup": -1}, "`warmup`"),
    ({"clip_norm": 0.0}, "`clip_norm` must be above 0"),
    ({"satisfactory": float("nan")}, "`satisfactory`"),
    ({"metric": "f1"}, "`metric` must be 'accuracy' or 'loss'"),
]


@pytest.mark.parametrize(("changes", "message"), BAD, ids=[message[:40] for _, message in BAD])
def test_it_is_told_when_the_plan_is_made(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(PlanError, match=message.replace("(", r"\(").replace(")", r"\)")):
        plan(**changes)


def test_a_model_that_does_not_take_the_inputs_is_told_before_training() -> None:
    with pytest.raises(PlanError, match=r"does not take a batch .* the shape \(1,\)"):
        plan(train=(X[:, :1], Y)).check()


def test_a_function_that_makes_no_model_is_told() -> None:
    with pytest.raises(PlanError, match="made 3"):
        plan(model=lambda: 3).build_model()


def test_bad_settings_of_the_optimizer_are_told() -> None:
    made = plan(optimizer=(torch.optim.SGD, {"rate": 1.0}))
    with pytest.raises(PlanError, match="cannot be made"):
        made.build_optimizer(made.build_model())


def test_nan_targets_of_a_dataset_are_told_before_training() -> None:
    with pytest.raises(PlanError, match="NaN or infinite"):
        plan(train=TensorDataset(X[:16], NAN[:16])).check()


def test_a_model_that_cannot_be_copied_is_told() -> None:
    model = network()
    model.made = torch.ones(2, requires_grad=True) * 2  # type: ignore[assignment]
    with pytest.raises(PlanError, match=r"cannot be copied .* give a function"):
        plan(model=model).build_model()


def test_a_good_plan_passes() -> None:
    plan().check()
