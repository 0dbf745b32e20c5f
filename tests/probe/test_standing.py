"""How a run stands, noted while it goes on."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch
from torch import nn

import paramedic
from paramedic import Trace
from paramedic.probe import standing
from paramedic.probe.standing import Standing


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The time, in one place where a test can set it."""
    now = [100.0]
    monkeypatch.setattr(standing, "perf_counter", lambda: now[0])
    return now


def test_notes_every_few_seconds_and_at_once_when_woken(clock: list[float]) -> None:
    noted: list[Any] = []
    told = Standing(lambda key, value: noted.append((key, value)))
    told.tell(lambda: {"step": 1})
    assert noted == []
    clock[0] += 6
    told.tell(lambda: {"step": 2})
    told.tell(lambda: {"step": 3})
    assert noted == [("standing", {"step": 2, "ended": False})]
    told.wake()
    told.tell(lambda: {"step": 4})
    assert len(noted) == 2


def test_what_is_dear_is_noted_rarely(clock: list[float]) -> None:
    noted: list[Any] = []
    told = Standing(lambda key, value: noted.append(value))

    def ask() -> dict[str, int]:
        clock[0] += 0.1
        return {}

    told.wake()
    told.tell(ask)
    clock[0] += 90
    told.tell(ask)
    assert len(noted) == 1
    clock[0] += 20
    told.tell(ask)
    assert len(noted) == 2


def _deep() -> nn.Sequential:
    torch.manual_seed(0)
    hidden = [layer for _ in range(12) for layer in (nn.Linear(16, 16), nn.Sigmoid())]
    return nn.Sequential(nn.Linear(4, 16), *hidden, nn.Linear(16, 1))


def test_a_run_that_was_killed_has_told_what_was_found(tmp_path: Path) -> None:
    model = _deep()
    optimizer = torch.optim.SGD(model.parameters(), 0.01)
    monitor = paramedic.watch(model, optimizer, trace=tmp_path / "run.db", overhead=None)
    for _ in range(200):
        x = torch.randn(32, 4)
        optimizer.zero_grad()
        (model(x) - x.sum(1, keepdim=True)).pow(2).mean().backward()
        optimizer.step()
    with Trace.open(tmp_path / "run.db") as trace:
        noted = trace.meta("standing")
    monitor.close()
    assert noted["ended"] is False
    assert noted["root"] == "vanishing-gradient"
    assert [case["slug"] for case in noted["cases"]] == [
        case["slug"] for case in noted["cases"] if case["opened"] <= noted["step"]
    ]
    with Trace.open(tmp_path / "run.db") as trace:
        assert trace.meta("standing")["ended"] is True
        assert trace.meta("standing")["verdict"] == noted["verdict"] == "not learning"
