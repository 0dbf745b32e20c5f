"""A short run to watch, at the end of which something is found."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import torch
from torch import nn

import paramedic
from paramedic.probe.monitor import Monitor

STEPS = 12


def watched(sink: Any, trace: Path | None = None) -> Monitor:
    """Twelve steps, an epoch in the middle, and a NaN in the last batch."""
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(6, 8), nn.ReLU(), nn.Linear(8, 1))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    with paramedic.watch(
        model, optimizer, sinks=[sink], overhead=None, strict=True, trace=trace
    ) as monitor:
        for step in range(STEPS):
            x = torch.randn(8, 6)
            if step == STEPS - 1:
                x[0, 0] = float("nan")
            optimizer.zero_grad()
            (model(x) - x.sum(1, keepdim=True)).pow(2).mean().backward()
            optimizer.step()
            if step == 5:
                monitor.epoch(val_loss=0.5)
    return monitor
