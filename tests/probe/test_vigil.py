from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor, nn

import paramedic
from paramedic.diagnose.jumps import JUMP
from paramedic.probe import native
from paramedic.probe.vigil import Vigil
from paramedic.types import Event

pytestmark = pytest.mark.skipif(native.kernel is None, reason="the native kernel was not built")

NAMES = ["first", "second", "third"]
Factors = Callable[[int, int], float]


def steady(step: int, row: int) -> float:
    return 1.0


class Patient:
    """Three layers whose gradients have known norms, with a little noise."""

    def __init__(self) -> None:
        self.parameters = [torch.zeros(6), torch.zeros(2, 3), torch.zeros(4)]
        self.vigil = Vigil(self.parameters, [0, 1, 2], 3)
        self._noise = np.random.default_rng(0)

    def run(self, steps: int, factors: Factors = steady) -> list[Event]:
        told = []
        for step in range(steps):
            batch = math.exp(0.2 * self._noise.standard_normal())
            for row, parameter in enumerate(self.parameters):
                own = math.exp(0.05 * self._noise.standard_normal())
                size = 10.0**row * batch * own * factors(step, row)
                parameter.grad = torch.full_like(parameter, size / math.sqrt(parameter.numel()))
            if self.vigil.glance():
                told.append(self.vigil.event(step, NAMES))
        return told


def at(place: int, factor: float, *rows: int) -> Factors:
    return lambda step, row: factor if step == place and row in (rows or (0, 1, 2)) else 1.0


def test_a_calm_run_is_not_interrupted() -> None:
    assert Patient().run(600) == []


@pytest.mark.parametrize("factor", [20.0, 1e-8])
def test_all_layers_jump(factor: float) -> None:
    (event,) = Patient().run(120, at(100, factor))
    assert (event.step, event.kind) == (100, JUMP)
    assert event.data["ratio"] == pytest.approx(factor, rel=0.9)
    assert event.data["up"] == event.data["down"] == {}
    assert list(event.data["moves"]) == list(NAMES)
    assert event.data["norm"] / event.data["usual"] == pytest.approx(factor, rel=0.9)
    assert abs(event.data["deviations"]) > 5


@pytest.mark.parametrize(("factor", "way"), [(20.0, "up"), (1e-8, "down")])
@pytest.mark.parametrize("row", [0, 1, 2])
def test_one_layer_jumps_beside_the_others(factor: float, way: str, row: int) -> None:
    (event,) = Patient().run(120, at(100, factor, row))
    assert list(event.data[way]) == [NAMES[row]]
    norm, usual, deviations = event.data[way][NAMES[row]]
    assert norm / usual == pytest.approx(factor, rel=0.9)
    assert usual == pytest.approx(10.0**row, rel=0.5)
    assert abs(deviations) > 5
    assert 0.3 < event.data["ratio"] < 3


def test_the_first_steps_are_wild() -> None:
    assert Patient().run(60, at(40, 20.0)) == []


def test_what_lasts_is_told_once_and_becomes_usual() -> None:
    told = Patient().run(400, lambda step, row: 20.0 if step >= 100 else 1.0)
    assert told[0].step == 100
    assert len(told) <= 3


def test_a_larger_jump_right_after_a_small_one_is_told() -> None:
    factors = {100: 12.0, 103: 1e-8}
    told = Patient().run(120, lambda step, row: factors.get(step, 1.0))
    assert [event.step for event in told] == [100, 103]


def test_a_layer_without_a_gradient_is_left_out() -> None:
    patient = Patient()
    patient.run(100)
    rest = patient.parameters[1:]
    for step in range(30):
        patient.parameters[0].grad = None
        for row, parameter in enumerate(rest, 1):
            size = 10.0**row * (20.0 if step == 20 else 1.0)
            parameter.grad = torch.full_like(parameter, size / math.sqrt(parameter.numel()))
        assert patient.vigil.glance() == (step == 20)


@pytest.mark.parametrize(
    "broken",
    [
        lambda parameter: parameter.double().requires_grad_(),
        lambda parameter: torch.zeros(4).to_sparse().requires_grad_(),
    ],
    ids=["double", "sparse"],
)
def test_what_the_kernel_cannot_read_is_left_alone(broken: Callable[[Tensor], Tensor]) -> None:
    parameter = broken(torch.zeros(4))
    parameter.grad = parameter.detach().clone()
    vigil = Vigil([parameter], [0], 1)
    assert not any(vigil.glance() for _ in range(100))


def test_without_a_kernel_nobody_glances(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(native, "kernel", None)
    assert Patient().run(120, at(100, 20.0)) == []


# -- in a run ------------------------------------------------------------------------------------


def _train(steps: int, fault: str, at: int, **options: Any) -> Any:
    torch.manual_seed(0)
    model = nn.Sequential(
        nn.Linear(8, 32), nn.Tanh(), nn.Linear(32, 32), nn.Tanh(), nn.Linear(32, 1)
    )
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    generator = torch.Generator().manual_seed(1)
    with (
        paramedic.watch(model, optimizer, strict=True, **options) as monitor,
        paramedic.inject(model, optimizer, fault, at=at),
    ):
        for _ in range(steps):
            x = torch.randn(64, 8, generator=generator)
            optimizer.zero_grad()
            nn.functional.mse_loss(model(x), x.sum(1, keepdim=True).sin()).backward()
            optimizer.step()
        told = [event.step for event in monitor.window().events if event.kind == JUMP]
    return told, monitor


@pytest.mark.parametrize("fault", ["exploding-gradient", "vanishing-gradient"])
@pytest.mark.parametrize("overhead", [None, 1.0])
def test_an_injected_gradient_is_told_at_its_step(fault: str, overhead: float | None) -> None:
    told, monitor = _train(160, fault, 140, overhead=overhead)
    assert told == [140]
    found = {one.slug: one for one in monitor.findings}
    assert found[fault].evidence["moment"] == 140


def test_a_step_that_is_not_looked_at_is_glanced_at(monkeypatch: pytest.MonkeyPatch) -> None:
    from paramedic.probe.schedule import Schedule

    monkeypatch.setattr(Schedule, "plan", lambda *args: 1000)
    monkeypatch.setattr(Schedule, "stride", 1)
    told, monitor = _train(160, "exploding-gradient", 140)
    assert told == [140]
    assert sum(monitor.spent["looks"].values()) < 20
    assert monitor.findings[0].slug == "exploding-gradient"
