"""What each action does to a model and its optimizer."""

from __future__ import annotations

import math
from typing import Any

import pytest
import torch
from torch import nn

from paramedic.probe.attendant import Patient
from paramedic.probe.cycle import Cycle
from paramedic.probe.guard import Guard
from paramedic.treat.facts import Reader
from paramedic.treat.hands import Hands
from paramedic.treat.orders import Order, remedy


class Ward:
    """A small model with gradients, ready for a step."""

    def __init__(self, *more: nn.Module) -> None:
        self.model = nn.Sequential(nn.Linear(3, 4), nn.BatchNorm1d(4), *more, nn.Linear(4, 1))
        self.optimizer = torch.optim.SGD(self.model.parameters(), lr=0.1, momentum=0.9)
        patient = Patient({"": self.model}, [self.optimizer], Guard(strict=True), 0.01)
        self.hands = Hands(patient)
        self.cycle = Cycle(None)
        self.backward()

    def backward(self, value: float = 1.0) -> None:
        self.model.zero_grad()
        x = value * torch.randn(8, 3, generator=torch.Generator().manual_seed(0))
        self.model(x).pow(2).sum().backward()

    def do(self, action: str, began: int = 0, **args: Any) -> str | None:
        order = Order("cause", "", (), began)
        return self.hands.do(remedy(action, **args), order, self.optimizer, self.cycle)

    def step(self) -> None:
        self.hands.apply(self.optimizer, self.cycle, Reader(self.optimizer).norm())
        self.optimizer.step()
        self.hands.let_go()

    def values(self) -> list[torch.Tensor]:
        return [one.clone() for one in self.model.state_dict().values()]


def test_skipping_leaves_weights_and_buffers() -> None:
    ward = Ward()
    ward.hands.is_good()
    before = ward.values()
    ward.backward(value=math.nan)
    assert ward.do("skip-step") is None
    ward.step()
    assert all(map(torch.equal, before, ward.values()))
    assert ward.cycle.skipped
    ward.backward()
    ward.step()
    assert not torch.equal(before[0], ward.values()[0])


def test_clipping_once_and_from_now_on() -> None:
    ward = Ward()
    norm = Reader(ward.optimizer).norm()
    ward.do("clip-gradients", max_norm=norm / 4, steps=1)
    ward.hands.apply(ward.optimizer, ward.cycle, norm)
    assert Reader(ward.optimizer).norm() == pytest.approx(norm / 4, rel=1e-5)
    ward.backward()
    ward.hands.apply(ward.optimizer, ward.cycle, norm)
    assert Reader(ward.optimizer).norm() == pytest.approx(norm, rel=1e-5)
    ward.do("clip-gradients", max_norm=norm / 2)
    for _ in range(2):
        ward.backward()
        ward.hands.apply(ward.optimizer, ward.cycle, norm)
        assert Reader(ward.optimizer).norm() == pytest.approx(norm / 2, rel=1e-5)
    assert ward.hands.lasting.take_back().action == "clip-gradients"


def test_scaling_the_rate() -> None:
    ward, plain = Ward(), Ward()
    plain.model.load_state_dict(ward.model.state_dict())
    plain.backward()
    before = ward.values()[0]
    ward.do("scale-rate", factor=0.5)
    ward.backward()
    ward.step()
    plain.step()
    moved = ward.values()[0] - before, plain.values()[0] - before
    assert torch.allclose(moved[0], 0.5 * moved[1], rtol=1e-4)
    assert ward.optimizer.param_groups[0]["lr"] == 0.1


def test_raising_dropout() -> None:
    assert "no dropout" in str(Ward().do("raise-dropout", by=0.1, most=0.5))
    ward = Ward(nn.Dropout(0.2))
    assert ward.do("raise-dropout", by=0.1, most=0.5) is None
    assert ward.model[2].p == pytest.approx(0.3)


def test_rolling_back() -> None:
    ward = Ward()
    assert "no state from before" in str(ward.do("roll-back"))
    ward.hands.snapshots.take(0)
    before = ward.values()
    ward.step()
    ward.backward()
    ward.step()
    ward.backward(value=math.nan)
    assert ward.do("roll-back", began=2) is None
    ward.step()
    assert all(map(torch.equal, before, ward.values()))
    assert not ward.optimizer.state
    assert ward.cycle.skipped


def test_stopping_changes_nothing() -> None:
    ward = Ward()
    before = ward.values()
    assert ward.do("stop") is None
    assert all(map(torch.equal, before, ward.values()))


def test_what_a_thrown_away_batch_left_behind() -> None:
    ward = Ward()
    ward.hands.is_good()
    before = ward.values()
    ward.backward(value=2.0)
    ward.hands.clean_up(Cycle(None, loss=1.0))
    assert not torch.equal(before[2], ward.model[1].running_mean)
    ward.backward(value=math.nan)
    ward.hands.clean_up(Cycle(None, loss=torch.tensor(math.nan)))
    assert torch.equal(before[4], ward.model[1].running_mean)
