"""The JSON report of a run that is watched."""

from __future__ import annotations

import json

import torch
from torch import nn

import paramedic


def test_the_report_of_a_run() -> None:
    torch.manual_seed(0)
    model = nn.Linear(4, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    with paramedic.watch(model, optimizer) as monitor:
        for _ in range(120):
            x = torch.randn(16, 4)
            loss = (model(x) - x.sum(1, keepdim=True)).pow(2).mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    report = monitor.report("linear")
    assert (report["schema"], report["program"]) == ("paramedic/report@2", "linear")
    assert (report["verdict"], report["exit_code"], report["steps"]) == ("learning", 0, 120)
    assert report["trainings"][0]["numbers"]["loss of the best constant answer"] > 2
    json.dumps(report)
