from __future__ import annotations

import pytest
import torch

from paramedic.treat.remedies.optimizer import Minimise, Momentum, OtherOptimizer
from paramedic.treat.remedy import Refusal
from tests.treat.plans import plan
from tests.treat.remedies.findings import finding

SGD, ADAM = torch.optim.SGD, torch.optim.Adam


OSCILLATING, SLOW = finding("oscillating-loss"), finding("slow-convergence")


def test_momentum() -> None:
    plain, wild = (
        plan(optimizer=(SGD, {"lr": 0.1})),
        plan(optimizer=(SGD, {"lr": 0.1, "momentum": 0.99})),
    )
    assert Momentum().apply(plain, OSCILLATING).plan.optimizer[1]["momentum"] == 0.9
    assert Momentum().apply(wild, OSCILLATING).plan.optimizer[1]["momentum"] == 0.9
    with pytest.raises(Refusal, match=r"0\.99 already"):
        Momentum().apply(wild, SLOW)
    with pytest.raises(Refusal, match="Adam has no momentum"):
        Momentum().apply(plan(), OSCILLATING)


def test_another_optimizer_with_its_usual_rate() -> None:
    adam = (
        OtherOptimizer().apply(plan(optimizer=(SGD, {"lr": 5.0, "weight_decay": 0.1})), SLOW).plan
    )
    assert adam.optimizer == (ADAM, {"lr": 0.001, "weight_decay": 0.1})
    sgd = OtherOptimizer().apply(plan(optimizer=(ADAM, {"lr": 5.0})), SLOW).plan
    assert sgd.optimizer == (SGD, {"lr": 0.01, "momentum": 0.9})


def test_the_loss_is_minimised() -> None:
    up = plan(optimizer=(SGD, {"lr": 0.1, "maximize": True}))
    assert Minimise().apply(up, finding("loss-explosion")).plan.optimizer[1]["maximize"] is False
    with pytest.raises(Refusal):
        Minimise().apply(plan(), finding("loss-explosion"))
