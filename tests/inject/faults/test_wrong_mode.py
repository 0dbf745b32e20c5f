from __future__ import annotations

import torch
from torch import nn

import paramedic

from ..patients import data, momentum, net, train


def test_training_passes_run_in_evaluation_mode() -> None:
    model = nn.Sequential(nn.Linear(12, 8), nn.Dropout(0.5))
    x, _ = data(8)
    plain = model[0](x)
    with paramedic.inject(model, momentum(model), "wrong-mode", at=0):
        model.train()
        assert torch.equal(model(x), plain)
        assert model.training
        assert model[1].training
    assert not torch.equal(model(x), plain)


def test_running_statistics_stand_still() -> None:
    model = net()
    with paramedic.inject(model, momentum(model), "wrong-mode", at=0):
        model(data(8)[0])
    assert model[1].running_mean.abs().sum() == 0
    model(data(8)[0])
    assert model[1].running_mean.abs().sum() > 0


def test_a_monitor_sees_the_mode() -> None:
    run = train(8, "wrong-mode", at=3, duration=2, watch="before")
    window = run.monitor.window()
    modes = window.layer("act_training")[:, window.names.index("1")]
    assert modes.tolist() == [1, 1, 1, 0, 0, 1, 1, 1]
