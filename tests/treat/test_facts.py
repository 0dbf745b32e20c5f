"""What is known of a step before it is taken."""

from __future__ import annotations

import math

import pytest
import torch
from torch import nn

from paramedic.probe import native
from paramedic.probe.cycle import Cycle
from paramedic.probe.origin import Origin
from paramedic.treat.facts import Reader, gradients


def _optimizer() -> torch.optim.Optimizer:
    model = nn.Sequential(nn.Linear(3, 4), nn.Linear(4, 2))
    model(torch.ones(2, 3)).sum().backward()
    return torch.optim.SGD(
        [{"params": model[0].parameters()}, {"params": model[1].parameters(), "lr": 0.5}], lr=0.1
    )


@pytest.mark.parametrize("way", ["native", "numpy"])
def test_norm_rate_and_loss(way: str, monkeypatch: pytest.MonkeyPatch) -> None:
    if way == "numpy":
        monkeypatch.setattr(native, "kernel", None)
    optimizer = _optimizer()
    true = float(torch.cat([grad.flatten() for grad in gradients(optimizer)]).norm())
    reader = Reader(optimizer)
    facts = reader.facts(7, Cycle(None, loss=3.0))
    assert facts.norm == pytest.approx(true, rel=1e-6)
    assert (facts.step, facts.loss, facts.rate, facts.finite) == (7, 3.0, 0.5, True)
    assert reader.facts(7, Cycle(None), factor=0.5).rate == 0.25
    for grad in gradients(optimizer):
        grad.mul_(2)  # somebody's own clipping
    assert reader.norm() == pytest.approx(2 * true, rel=1e-6)
    gradients(optimizer)[0].view(-1)[0] = math.nan
    assert reader.norm() == math.inf
    assert not reader.facts(8, Cycle(None)).finite


def test_losses_of_all_kinds() -> None:
    reader = Reader(_optimizer())
    assert math.isnan(reader.facts(0, Cycle(None)).loss)
    assert reader.facts(0, Cycle(None)).finite
    assert reader.facts(0, Cycle(None, loss=6.0, given=1.0)).loss == 1.0
    assert reader.facts(0, Cycle(None, loss=torch.tensor(8.0), scale=4.0)).loss == 2.0
    assert not reader.facts(0, Cycle(None, loss=math.inf)).finite


def test_the_batch_is_to_blame() -> None:
    reader = Reader(_optimizer())
    for kind, blamed in (("input", True), ("target", True), ("weight", False)):
        cycle = Cycle(None, loss=math.nan, origin=Origin(kind, "", "seen"))
        assert reader.facts(0, cycle).from_data == blamed


def test_nothing_to_read() -> None:
    optimizer = _optimizer()
    optimizer.zero_grad()
    assert math.isnan(Reader(optimizer).norm())
