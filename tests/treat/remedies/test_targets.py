from __future__ import annotations

from typing import Any

import pytest
import torch
from torch import Tensor, nn

from paramedic.treat.plan import Plan
from paramedic.treat.remedies.targets import FixTargets
from paramedic.treat.remedy import Refusal
from tests.treat.plans import plan, points
from tests.treat.remedies.findings import finding

X, Y = points(96)


WRONG = finding("invalid-labels")


BCE, BCE_LOGITS = nn.BCELoss(), nn.BCEWithLogitsLoss()


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
    ("targets", "changes", "words"),
    [
        (Y + 1, {}, "Shift()"),
        (Y * 4 + 3, {}, "Enumerate()"),
        (Y.unsqueeze(1), {}, "Squeeze()"),
        (Y.float(), {}, "AsWhole()"),
        ((Y + 1).float().unsqueeze(1), {}, "Squeeze(), AsWhole(), Shift()"),
        (torch.eye(2).long()[Y], {}, "AsLabels()"),
        (Y, {"loss": nn.MSELoss()}, "OneHot(classes=2)"),
        (Y + 1, {"loss": BCE_LOGITS}, "Shift(by=None), OneHot(classes=2)"),
        (Y, {"loss": BCE_LOGITS, "model": _single()}, "Unsqueeze(), AsFloat()"),
        (Y.float(), {"loss": BCE_LOGITS, "model": _single()}, "Unsqueeze()"),
        (
            2 * Y.float().unsqueeze(1) - 1,
            {"loss": BCE, "model": _single(nn.Sigmoid())},
            "Rescale()",
        ),
        (X[:, 0], {"loss": nn.MSELoss(), "model": _single()}, "Unsqueeze()"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_targets_get_the_form_that_the_loss_takes(
    targets: Tensor, changes: dict[str, Any], words: str
) -> None:
    treated = FixTargets().apply(_plan(targets, **changes), WRONG)
    for word in words.split(", "):
        assert word.split("(")[0] in treated.description
    assert _trains(treated.plan) >= 0


def test_right_targets_are_left_alone_and_hopeless_ones_refused() -> None:
    with pytest.raises(Refusal, match="as they are"):
        FixTargets().apply(_plan(Y), WRONG)
    with pytest.raises(Refusal, match="No usual change"):
        FixTargets().apply(_plan(torch.arange(96)), WRONG)


def test_the_validation_targets_change_with_them() -> None:
    x, y = points(32, seed=1)
    sick = plan(train=(X, Y + 1), validation=(x, y + 1))
    treated = FixTargets().apply(sick, WRONG).plan
    assert torch.equal(treated.batches[1].gathered()[1], y)
