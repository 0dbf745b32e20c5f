"""What a monitor advises while it watches."""

from __future__ import annotations

import json
from pathlib import Path

import torch
import torch.nn.functional as F
from torch import nn

import paramedic
from paramedic import Trace
from paramedic.probe.monitor import Monitor


def _train(model: nn.Module, monitor: Monitor, optimizer: torch.optim.Optimizer) -> None:
    """A loop that forgets to set the gradients to zero."""
    for step in range(30):
        generator = torch.Generator().manual_seed(step)
        x = torch.randn(16, 6, generator=generator)
        F.cross_entropy(model(x), torch.randint(0, 3, (16,), generator=generator)).backward()
        optimizer.step()


def test_what_to_do_is_known_while_the_run_goes_on(tmp_path: Path) -> None:
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(6, 8), nn.ReLU(), nn.Linear(8, 3))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    trace = tmp_path / "run.db"
    with paramedic.watch(model, optimizer, overhead=None, strict=True, trace=trace) as monitor:
        assert monitor.remedies == ()
        assert monitor.emergency is None
        _train(model, monitor, optimizer)
        assert monitor.findings[0].slug == "missing-zero-grad"
        best = monitor.remedies[0]
        assert best.slug == "zero-grad"
        assert best.confidence >= 0.5
        assert best.ground
    with Trace.open(trace) as recorded:
        assert recorded.meta("remedies")[0] == json.loads(json.dumps(best.to_json()))


def test_several_open_problems_are_one_event() -> None:
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(6, 8), nn.Dropout(0.2), nn.ReLU(), nn.Linear(8, 3)).eval()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    with paramedic.watch(model, optimizer, overhead=None, strict=True) as monitor:
        _train(model, monitor, optimizer)
        event = monitor.emergency
    assert event is not None
    assert {"missing-zero-grad", "wrong-mode"} <= set(event.problems)
    assert event.best is not None
    assert event.best.slug in ("zero-grad", "train-mode")
    assert {one.slug for one in event.remedies} >= {"zero-grad", "train-mode"}
