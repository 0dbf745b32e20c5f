"""Somebody who stands by the loop and may act."""

from __future__ import annotations

from typing import Any

import pytest
import torch
import torch.nn.functional as F
from torch import nn

from paramedic.probe.attach import attach
from paramedic.probe.attendant import Bystander, Patient, has_closure
from paramedic.probe.cycle import Cycle
from paramedic.probe.options import Options
from paramedic.types import Event


class Witness(Bystander):
    """Writes down what it is told."""

    acts = True

    def __init__(self, patient: Patient) -> None:
        self.patient = patient
        self.log: list[tuple[Any, ...]] = []
        self.left = False

    def before_step(self, optimizer: Any, step: int, cycle: Cycle) -> None:
        weight = self.patient.models[""].weight
        self.log.append(("before", step, cycle.loss, weight.sum().item()))

    def after_step(self, optimizer: Any) -> None:
        self.log.append(("after", self.patient.models[""].weight.sum().item()))

    def step_skipped(self, cycle: Cycle) -> None:
        self.log.append(("skipped",))

    def news(self) -> tuple[Event, ...]:
        return (Event(0, "intervention", "did it", {"action": "none", "answer": "applied"}),)

    def close(self) -> None:
        self.left = True


@pytest.mark.parametrize("overhead", [None, 1e-6])
def test_every_step_is_told_before_and_after(overhead: float | None) -> None:
    model = nn.Linear(3, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    monitor = attach(model, optimizer, Options(overhead=overhead, strict=True), Witness)
    witness: Any = monitor._attendant
    losses = []
    for _ in range(12):
        optimizer.zero_grad()
        loss = F.mse_loss(model(torch.ones(2, 3)), torch.zeros(2, 1))
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    before = [entry for entry in witness.log if entry[0] == "before"]
    after = [entry for entry in witness.log if entry[0] == "after"]
    assert [entry[1] for entry in before] == list(range(12))
    assert [entry[2] for entry in before] == pytest.approx(losses)
    assert [entry[3] for entry in before[1:]] == [entry[1] for entry in after[:-1]]
    assert not witness.left
    monitor.close()
    assert witness.left
    events = [event for event in monitor.window().events if event.kind == "intervention"]
    assert len(events) >= 12


def test_a_scaler_that_skips_is_told() -> None:
    model = nn.Linear(3, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    scaler = torch.amp.GradScaler("cpu", init_scale=8.0)
    with attach(model, optimizer, Options(strict=True), Witness) as monitor:
        scaler.scale(model(torch.ones(2, 3)).sum()).backward()
        model.weight.grad.fill_(float("inf"))
        scaler.step(optimizer)
        witness: Any = monitor._attendant
        assert witness.log == [("skipped",)]


def test_closures() -> None:
    optimizer = object()
    assert has_closure((optimizer, lambda: 1), {})
    assert has_closure((optimizer,), {"closure": lambda: 1})
    assert not has_closure((optimizer,), {})
    assert not has_closure((optimizer, None), {"closure": None})


def test_a_bystander_does_nothing() -> None:
    bystander = Bystander()
    assert (bystander.acts, bystander.should_stop, bystander.interventions) == (False, False, ())
    assert bystander.undo() is None
    assert bystander.news() == ()
