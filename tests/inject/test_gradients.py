"""Gradients times a factor: exactly, in time, and seen as raw by everybody."""

from __future__ import annotations

from typing import Any

import pytest
import torch
import torch.nn.functional as F
from torch import nn

import paramedic

from .patients import data, momentum, net, train

AT = 4


@pytest.mark.parametrize("passes", [1, 3])
@pytest.mark.parametrize(("fault", "factor"), [("exploding", 20.0), ("vanishing", 1e-8)])
def test_the_gradient_of_one_step_is_multiplied(fault: str, factor: float, passes: int) -> None:
    healthy = train(AT + 1, passes=passes)
    sick = train(AT + 1, f"{fault}-gradient", at=AT, passes=passes)
    torch.testing.assert_close(sick.gradients[AT], healthy.gradients[AT] * factor)
    assert all(map(torch.equal, healthy.gradients[:AT], sick.gradients[:AT]))


def test_the_next_step_is_an_ordinary_one() -> None:
    model = net()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.0)
    healthy = train(8, model=model, make=lambda _: optimizer)
    model = net()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.0)
    sick = train(8, "exploding-gradient", model=model, make=lambda _: optimizer, at=4, factor=8.0)
    pairs = zip(sick.gradients, healthy.gradients, strict=True)
    ratios = [(ours.norm() / theirs.norm()).item() for ours, theirs in pairs]
    assert ratios == pytest.approx([1, 1, 1, 1, 8, 1, 1, 1], rel=1e-5)


def test_only_of_some_layers() -> None:
    healthy = train(AT + 1)
    sick = train(AT + 1, "exploding-gradient", at=AT, factor=8.0, layers="0")
    first = 12 * 32 + 32
    assert torch.equal(sick.gradients[AT][:first], 8 * healthy.gradients[AT][:first])
    assert torch.equal(sick.gradients[AT][first:], healthy.gradients[AT][first:])
    assert sick.log == [(AT, "exploding-gradient: the gradients of `0` times 8")]


@pytest.mark.parametrize("watch", ["before", "after"])
@pytest.mark.parametrize("passes", [1, 3])
@pytest.mark.parametrize(("fault", "factor"), [("exploding", 20.0), ("vanishing", 1e-8)])
def test_a_monitor_sees_it_as_the_raw_gradient(
    fault: str, factor: float, passes: int, watch: str
) -> None:
    healthy = train(8, passes=passes)
    sick = train(8, f"{fault}-gradient", at=AT, passes=passes, watch=watch)
    window = sick.monitor.window()
    seen = dict(zip(window.steps.tolist(), window.scalar("grad_norm").tolist(), strict=True))
    assert seen[AT] == pytest.approx(factor * healthy.gradients[AT].norm().item(), rel=1e-4)
    assert seen[AT - 1] == pytest.approx(healthy.gradients[AT - 1].norm().item(), rel=1e-4)
    assert seen[AT + 1] == pytest.approx(sick.gradients[AT + 1].norm().item(), rel=1e-4)


def test_clipping_comes_after_it() -> None:
    model = net()
    optimizer = momentum(model)
    x, y = data(64)
    norms = []
    with (
        paramedic.inject(model, optimizer, "exploding-gradient", at=1, factor=1e4),
        paramedic.watch(model, optimizer, overhead=None, strict=True) as monitor,
    ):
        for _ in range(3):
            optimizer.zero_grad()
            F.cross_entropy(model(x), y).backward()
            before = nn.utils.clip_grad_norm_(model.parameters(), 0.1).item()
            after = nn.utils.clip_grad_norm_(model.parameters(), 1e9).item()
            norms.append((before, after))
            optimizer.step()
    assert norms[1][0] > 1e3 * norms[0][0]
    assert all(after <= 0.1 + 1e-6 for _, after in norms)
    seen = monitor.window().scalar("grad_norm")
    assert seen.tolist() == pytest.approx([before for before, _ in norms], rel=1e-4)


def test_the_pattern_of_the_paper() -> None:
    pattern: dict[str, Any] = {"at": 50, "every": 200, "times": 2}
    run = train(500, "gradient-explosion", **pattern)
    assert [step for step, _ in run.log] == [50, 250]


def test_shared_weights_are_multiplied_once() -> None:
    model = nn.Sequential(nn.Linear(4, 4), nn.Tanh(), nn.Linear(4, 4))
    model[2].weight = model[0].weight
    optimizer = momentum(model)
    x = torch.ones(3, 4)
    model(x).sum().backward()
    healthy = model[0].weight.grad.clone()
    model.zero_grad()
    with paramedic.inject(model, optimizer, "exploding-gradient", at=0, factor=4.0):
        model(x).sum().backward()
    assert torch.equal(model[0].weight.grad, 4 * healthy)
