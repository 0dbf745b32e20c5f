from __future__ import annotations

import pytest
import torch

from paramedic.treat.remedies.learning_rate import DefaultRate, LowerRate, RaiseRate, SuitedRate
from paramedic.treat.remedies.reading import rate
from paramedic.treat.remedy import Refusal
from tests.treat.plans import plan
from tests.treat.remedies.findings import finding

SGD, ADAM = torch.optim.SGD, torch.optim.Adam


OSCILLATING, SLOW = finding("oscillating-loss"), finding("slow-convergence")


def test_rates() -> None:
    fast, slow = plan(optimizer=(SGD, {"lr": 1.0})), plan(optimizer=(ADAM, {"lr": 1e-6}))
    assert rate(DefaultRate().apply(fast, OSCILLATING).plan) == 0.01
    assert rate(DefaultRate().apply(slow, SLOW).plan) == 0.001
    assert rate(LowerRate().apply(fast, OSCILLATING).plan) == pytest.approx(0.1)
    assert rate(RaiseRate().apply(slow, SLOW).plan) == pytest.approx(1e-5)
    with pytest.raises(Refusal, match="usual rate"):
        DefaultRate().apply(fast, SLOW)


def test_a_rate_by_what_was_measured() -> None:
    fast = plan(optimizer=(SGD, {"lr": 1.0}))
    told = finding("learning-rate-too-high", update_ratio=0.3)
    assert rate(SuitedRate().apply(fast, told).plan) == pytest.approx(0.01)
    with pytest.raises(Refusal, match="not measured"):
        SuitedRate().apply(fast, finding("learning-rate-too-high"))
    with pytest.raises(Refusal, match="sound"):
        SuitedRate().apply(fast, finding("learning-rate-too-high", update_ratio=1e-4))


def test_rates_of_a_scheduler_follow() -> None:
    cycle = (torch.optim.lr_scheduler.OneCycleLR, {"max_lr": 1.0, "total_steps": 6})
    treated = LowerRate().apply(plan(optimizer=(SGD, {"lr": 1.0}), scheduler=cycle), OSCILLATING)
    assert treated.plan.scheduler is not None
    assert treated.plan.scheduler[1] == {"max_lr": pytest.approx(0.1), "total_steps": 6}
