"""Hooks around steps, and who comes last."""

from __future__ import annotations

from typing import Any

import torch
from torch import nn

from paramedic.probe.step_hooks import StepHooks


def test_called_before_and_after_until_detached() -> None:
    optimizer = torch.optim.SGD([nn.Parameter(torch.ones(1))], lr=0.1)
    log: list[str] = []
    hooks = StepHooks(
        [optimizer], lambda *args: log.append("begin"), lambda *args: log.append("end")
    )
    hooks.attach()
    optimizer.step()
    hooks.detach()
    optimizer.step()
    assert log == ["begin", "end"]
    assert not optimizer._optimizer_step_pre_hooks
    assert not optimizer._optimizer_step_post_hooks


def test_the_last_one_to_be_asked() -> None:
    optimizers = [torch.optim.SGD([nn.Parameter(torch.ones(1))], lr=0.1) for _ in range(2)]
    log: list[str] = []
    hooks = StepHooks(optimizers, lambda *args: log.append("ours"), lambda *args: None)
    hooks.attach()

    def theirs(*args: Any) -> None:
        log.append("theirs")

    optimizers[1].register_step_pre_hook(theirs)
    optimizers[1].step()
    hooks.put_last()
    optimizers[1].step()
    hooks.put_last()
    optimizers[0].step()
    assert log == ["ours", "theirs", "theirs", "ours", "ours"]
