"""What stays in force, and how it is taken back."""

from __future__ import annotations

import math

import pytest
import torch
from torch import nn

from paramedic.probe.cycle import Cycle
from paramedic.treat.lasting import Lasting


def _optimizer() -> torch.optim.Optimizer:
    model = nn.Linear(3, 2)
    groups = [{"params": [model.weight], "lr": 0.1}, {"params": [model.bias], "lr": 0.2}]
    return torch.optim.SGD(groups)


def _rates(optimizer: torch.optim.Optimizer) -> list[float]:
    return [float(group["lr"]) for group in optimizer.param_groups]


def test_the_rate_is_lent_for_a_step() -> None:
    optimizer = _optimizer()
    lasting, cycle = Lasting([optimizer]), Cycle(None)
    lasting.lend(optimizer, cycle)
    assert _rates(optimizer) == [0.1, 0.2]
    assert cycle.scalars == {}
    lasting.scale_rate("a", 0.5)
    lasting.scale_rate("b", 0.1)
    lasting.lend(optimizer, cycle)
    assert _rates(optimizer) == pytest.approx([0.005, 0.01])
    assert cycle.scalars == pytest.approx({"lr/0": 0.005, "lr/1": 0.01})
    lasting.give_back()
    assert _rates(optimizer) == [0.1, 0.2]


def test_a_step_that_failed_does_not_lower_the_rate_twice() -> None:
    optimizer = _optimizer()
    lasting = Lasting([optimizer])
    lasting.scale_rate("a", 0.5)
    lasting.lend(optimizer, Cycle(None))
    lasting.lend(optimizer, Cycle(None))
    assert _rates(optimizer) == [0.05, 0.1]
    lasting.give_back()
    assert _rates(optimizer) == [0.1, 0.2]


@pytest.mark.parametrize("chained", [True, False])
def test_schedules_go_on_as_planned(chained: bool) -> None:
    def planned(treated: bool) -> list[float]:
        optimizer = _optimizer()
        schedule: torch.optim.lr_scheduler.LRScheduler
        if chained:
            schedule = torch.optim.lr_scheduler.ExponentialLR(optimizer, 0.9)
        else:
            schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: 1 / (1 + step))
        lasting = Lasting([optimizer])
        used = []
        for step in range(6):
            if treated and step == 2:
                lasting.scale_rate("a", 0.5)
            lasting.lend(optimizer, Cycle(None))
            used.append(_rates(optimizer)[0])
            optimizer.step()
            lasting.give_back()
            schedule.step()
        return used

    factors = [one / other for one, other in zip(planned(True), planned(False), strict=True)]
    assert factors == pytest.approx([1, 1, 0.5, 0.5, 0.5, 0.5])


def test_a_rate_that_is_a_tensor() -> None:
    parameter = nn.Parameter(torch.ones(2))
    rate = torch.tensor(0.1)
    optimizer = torch.optim.Adam([parameter], lr=rate, foreach=False, capturable=False)
    lasting = Lasting([optimizer])
    lasting.scale_rate("a", 0.5)
    lasting.lend(optimizer, Cycle(None))
    assert float(optimizer.param_groups[0]["lr"]) == pytest.approx(0.05)
    lasting.give_back()
    assert optimizer.param_groups[0]["lr"] is rate
    assert float(rate) == pytest.approx(0.1)


def test_the_smallest_clip_counts() -> None:
    lasting = Lasting([_optimizer()])
    assert lasting.max_norm == math.inf
    lasting.clip("a", 3.0)
    lasting.clip("b", 1.0)
    assert lasting.max_norm == 1.0
    lasting.take_back()
    assert lasting.max_norm == 3.0


def test_dropout_is_raised_and_given_back() -> None:
    model = nn.Sequential(
        nn.Linear(3, 3), nn.Dropout(0.1), nn.Dropout(0.45), nn.Dropout(0.8),
        nn.LSTM(3, 3, num_layers=2, dropout=0.2), nn.LSTM(3, 3),
    )  # fmt: skip
    lasting = Lasting([_optimizer()])
    assert lasting.raise_dropout("a", [model], by=0.1, most=0.5)
    raised = [model[1].p, model[2].p, model[3].p, model[4].dropout, model[5].dropout]
    assert raised == pytest.approx([0.2, 0.5, 0.8, 0.3, 0.0])
    measure = lasting.take_back()
    assert measure is not None
    assert measure.action == "raise-dropout"
    given_back = [model[1].p, model[2].p, model[3].p, model[4].dropout]
    assert given_back == [0.1, 0.45, 0.8, 0.2]


def test_no_dropout_to_raise() -> None:
    lasting = Lasting([_optimizer()])
    model = nn.Sequential(nn.Linear(3, 3), nn.Dropout(0.5))
    assert not lasting.raise_dropout("a", [model], by=0.1, most=0.5)
    assert not lasting.measures


def test_taking_back_newest_first_and_by_cause() -> None:
    lasting = Lasting([_optimizer()])
    lasting.scale_rate("a", 0.5)
    lasting.clip("b", 1.0)
    lasting.scale_rate("a", 0.1)
    assert lasting.take_back("b").action == "clip-gradients"
    assert lasting.take_back("b") is None
    assert lasting.take_back().factor == 0.1
    assert lasting.factor == 0.5
    lasting.end()
    assert lasting.factor == 1.0
    assert lasting.take_back() is None


def test_a_rate_that_comes_down_by_itself_needs_us_no_more() -> None:
    optimizer = _optimizer()
    lasting = Lasting([optimizer])

    def at(rate: float) -> str | None:
        for group in optimizer.param_groups:
            group["lr"] = rate
        return lasting.outdated(optimizer)

    assert at(90.0) is None
    lasting.scale_rate("loss-explosion", 1 / 30)
    assert at(3.0) is None  # the rate of the step before is not known
    assert at(3.0) is None
    assert at(2.5) is None  # a schedule
    assert at(2.0) is None
    assert at(0.07) == "loss-explosion"
    assert at(0.0) is None
    assert at(0.0) is None
