from __future__ import annotations

from typing import Any

import pytest
from torch import Tensor, nn

from paramedic.treat.plan import Plan
from paramedic.treat.remedies.loss import SuitLoss
from paramedic.treat.remedy import Refusal
from tests.treat.plans import network, plan, points
from tests.treat.remedies.findings import finding

X, Y = points(96)


def _single(*end: nn.Module) -> nn.Module:
    return nn.Sequential(nn.Linear(2, 8), nn.ReLU(), nn.Linear(8, 1), *end)


def _plan(targets: Tensor, **changes: Any) -> Plan:
    return plan(train=(X, targets), validation=None, **changes)


def _trains(treated: Plan) -> float:
    model, batch = treated.build_model(), next(iter(treated.batches[0].epoch(0)))
    loss = treated.loss(model(batch[0]), batch[1])
    loss.backward()  # type: ignore[no-untyped-call]
    return float(loss.detach())


@pytest.mark.parametrize(
    ("targets", "changes", "loss"),
    [
        (Y, {"loss": nn.MSELoss(), "model": network()}, nn.CrossEntropyLoss),
        (Y.float(), {"loss": nn.MSELoss(), "model": _single(nn.Sigmoid())}, nn.BCEWithLogitsLoss),
        (X[:, :1], {"loss": nn.CrossEntropyLoss(), "model": _single()}, nn.MSELoss),
    ],
)
def test_the_loss_suits_the_task(
    targets: Tensor, changes: dict[str, Any], loss: type[nn.Module]
) -> None:
    treated = SuitLoss().apply(_plan(targets, **changes), finding("improper-loss"))
    assert type(treated.plan.loss) is loss
    assert _trains(treated.plan) > 0
    assert f"nn.{loss.__name__}()" in treated.code


def test_classes_as_numbers_get_an_output_each() -> None:
    targets = points(96, classes=4)[1].float().unsqueeze(1)
    sick = _plan(targets, loss=nn.MSELoss(), model=_single())
    treated = SuitLoss().apply(sick, finding("improper-loss", classes=4.0))
    assert treated.plan.output()[0].shape == (32, 4)
    assert _trains(treated.plan) == pytest.approx(1.4, abs=0.4)


def test_a_loss_that_suits_is_left_alone() -> None:
    with pytest.raises(Refusal, match="already"):
        SuitLoss().apply(_plan(Y), finding("improper-loss"))
