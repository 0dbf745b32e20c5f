from __future__ import annotations

import subprocess
import sys

import pytest
import torch
from torch.optim.optimizer import register_optimizer_step_pre_hook

from paramedic.run.shadow import shadow


@pytest.mark.parametrize("rate", [None, 0.5])
def test_it_is_an_optimizer_whose_step_is_somebody_elses(rate: float | None) -> None:
    weight = torch.nn.Parameter(torch.ones(2))
    follower = shadow("Adam", [weight], rate)
    assert isinstance(follower, torch.optim.Optimizer)
    assert type(follower).__name__ == "Adam"
    assert follower.param_groups[0]["params"] == [weight]
    assert follower.param_groups[0].get("lr") == rate
    seen: list[str] = []
    follower.register_step_pre_hook(lambda *_: seen.append("before"))
    follower.register_step_post_hook(lambda *_: seen.append("after"))
    follower.work = lambda: seen.append("work")
    follower.step()
    assert seen == ["before", "work", "after"]


def test_a_step_that_was_taken_already_concerns_only_its_own_hooks() -> None:
    follower = shadow("by hand", [torch.nn.Parameter(torch.ones(2))])
    seen: list[str] = []
    handle = register_optimizer_step_pre_hook(lambda *_: seen.append("of the program"))
    try:
        follower.register_step_pre_hook(lambda *_: seen.append("before"))
        follower.register_step_post_hook(lambda *_: seen.append("after"))
        follower.stepped()
    finally:
        handle.remove()
    assert seen == ["before", "after"]


def test_it_says_whose_optimizer_it_stands_for() -> None:
    weight = torch.nn.Parameter(torch.ones(2))
    assert shadow("Adam", [weight], 0.5, "keras").defaults == {"lr": 0.5, "framework": "keras"}
    assert shadow("by hand", [weight]).defaults == {}


def test_it_does_not_import_the_compiler() -> None:
    code = (
        "import sys, torch; from paramedic.run.shadow import shadow; "
        "shadow('by hand', [torch.zeros(1)]).stepped(); print('torch._dynamo' in sys.modules)"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout == "False\n"
