"""Seeing what a GradScaler does."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
import torch
from torch import Tensor
from torch.amp.grad_scaler import GradScaler
from torch.optim import Optimizer

from paramedic.probe.scaler import scaled_steps, scaler_at_work


class Observer:
    """Writes down what it is told, and the weight at that moment."""

    def __init__(self, weight: Tensor) -> None:
        self.weight = weight
        self.log: list[tuple[Any, ...]] = []
        self.optimizers: list[Optimizer] = []

    def before_scaled_step(self, optimizer: Optimizer, scale: float) -> None:
        self.optimizers.append(optimizer)
        self.log.append(("before", scale, self.weight.item()))

    def after_scaled_step(self, optimizer: Optimizer, *, skipped: bool) -> None:
        self.optimizers.append(optimizer)
        self.log.append(("after", skipped, self.weight.item()))


@contextmanager
def _observed(weight: Tensor, count: int = 1) -> Iterator[list[Observer]]:
    observers = [Observer(weight) for _ in range(count)]
    for observer in observers:
        scaled_steps.observe(observer)
    try:
        yield observers
    finally:
        for observer in observers:
            scaled_steps.forget(observer)


def _pair(**options: Any) -> tuple[Tensor, Optimizer, GradScaler]:
    w = torch.tensor(1.0, requires_grad=True)
    scaler = GradScaler("cpu", init_scale=8.0, growth_interval=1000, **options)
    return w, torch.optim.SGD([w], lr=0.5), scaler


def test_a_step_that_is_taken() -> None:
    w, optimizer, scaler = _pair()
    with _observed(w) as (observer,):
        scaler.scale(w * 1.0).backward()
        scaler.step(optimizer)
        scaler.update()
    assert observer.log == [("before", 8.0, 1.0), ("after", False, 0.5)]
    assert observer.optimizers == [optimizer, optimizer]


@pytest.mark.parametrize("bad", [float("inf"), float("nan")])
def test_a_step_that_is_skipped(bad: float) -> None:
    w, optimizer, scaler = _pair()
    with _observed(w) as (observer,):
        scaler.scale(w * 1.0).backward()
        w.grad.fill_(bad)
        scaler.step(optimizer)
        scaler.update()
        w.grad = None
        scaler.scale(w * 1.0).backward()
        scaler.step(optimizer)
        scaler.update()
    assert observer.log == [
        ("before", 8.0, 1.0),
        ("after", True, 1.0),
        ("before", 4.0, 1.0),
        ("after", False, 0.5),
    ]


def test_unscaled_by_hand_before_the_step() -> None:
    w, optimizer, scaler = _pair()
    with _observed(w) as (observer,):
        scaler.scale(w * 1.0).backward()
        scaler.unscale_(optimizer)
        scaler.step(optimizer)
        scaler.update()
    assert observer.log == [("before", 8.0, 1.0), ("after", False, 0.5)]


def test_one_optimizer_of_two_is_skipped() -> None:
    w, first, scaler = _pair()
    v = torch.tensor(1.0, requires_grad=True)
    second = torch.optim.SGD([v], lr=0.5)
    with _observed(w) as (observer,):
        scaler.scale(w + v).backward()
        w.grad.fill_(float("inf"))
        scaler.step(first)
        scaler.step(second)
        scaler.update()
    assert [entry[1] for entry in observer.log if entry[0] == "after"] == [True, False]
    assert observer.optimizers == [first, first, second, second]


def test_what_step_returns_is_handed_on() -> None:
    w, _, scaler = _pair()

    class Returns(torch.optim.SGD):
        def step(self, closure: Any = None) -> Any:
            super().step(closure)
            return "stepped"

    optimizer = Returns([w], lr=0.5)
    with _observed(w):
        scaler.scale(w * 1.0).backward()
        assert scaler.step(optimizer) == "stepped"


def test_a_scaler_that_is_switched_off_is_not_told() -> None:
    w, optimizer, scaler = _pair(enabled=False)
    with _observed(w) as (observer,):
        scaler.scale(w * 1.0).backward()
        scaler.step(optimizer)
        scaler.update()
    assert observer.log == []
    assert w.item() == 0.5


def test_several_observers_and_nothing_left_behind() -> None:
    original = GradScaler.step
    w, optimizer, scaler = _pair()
    with _observed(w, 2) as (first, second):
        assert GradScaler.step is not original
        scaler.scale(w * 1.0).backward()
        scaler.step(optimizer)
    assert first.log == second.log
    assert len(first.log) == 2
    assert GradScaler.step is original


def test_an_error_of_the_user_passes() -> None:
    w, optimizer, scaler = _pair()
    with _observed(w) as (observer,):
        scaler.scale(w * 1.0).backward()
        scaler.step(optimizer)
        with pytest.raises(RuntimeError, match="already been called"):
            scaler.step(optimizer)
    assert [entry[0] for entry in observer.log] == ["before", "after", "before"]


def test_the_scaler_itself_is_known_during_its_step_alone() -> None:
    w, optimizer, scaler = _pair()
    seen = []

    class Curious(Observer):
        def before_scaled_step(self, optimizer: Optimizer, scale: float) -> None:
            seen.append(scaler_at_work())

    observer = Curious(w)
    scaled_steps.observe(observer)
    scaler.scale(w * 1.0).backward()
    scaler.step(optimizer)
    scaled_steps.forget(observer)
    assert seen == [scaler]
    assert scaler_at_work() is None
