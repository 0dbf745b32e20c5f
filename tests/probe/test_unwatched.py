"""`PARAMEDIC=off`: the same calls, and nothing happens."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from torch import nn

import paramedic


def test_switched_off_by_the_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PARAMEDIC", "off")
    backward = torch.autograd.backward
    model = nn.Linear(6, 3)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    with paramedic.watch(model, optimizer, trace=tmp_path / "run.db") as monitor:
        assert torch.autograd.backward is backward
        model(torch.ones(2, 6)).sum().backward()
        optimizer.step()
        monitor.step(1.0)
        monitor.epoch(val_loss=1.0)
        assert len(monitor.window()) == 0
        assert monitor.last_step == -1
        assert monitor.spent["seconds"] == 0
        assert monitor.remedies == ()
        assert monitor.emergency is None
        assert "PARAMEDIC" in monitor.not_checked["everything"]
    assert not (tmp_path / "run.db").exists()
