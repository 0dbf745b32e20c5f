"""Repairs of the data use the training data only: other validation data change nothing."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from paramedic.treat.heal.healing import heal
from paramedic.treat.plan import Plan
from tests.treat.plans import network, plan, points


def _sick(validation: tuple[Tensor, Tensor]) -> Plan:
    """Inputs far out of scale, some of them NaN."""
    x, y = points()
    x = 500 * x + 3000
    x[::50, 0] = torch.nan
    return plan(
        model=network(nn.Tanh),
        train=(x, y),
        validation=validation,
        optimizer=(torch.optim.SGD, {"lr": 0.1}),
        remedies=["clean-inputs"],
    )


def test_the_repaired_model_does_not_depend_on_the_validation_inputs() -> None:
    x, y = points(128, seed=1)
    fair = 500 * x + 3000
    other = fair.clone()
    other[:64] *= 7.0  # statistics of these would move every mean and spread
    first, second = heal(_sick((fair, y))), heal(_sick((other, y)))
    assert first.status == "healed"
    assert first.plan.inputs
    assert [one.remedy for one in first.remedies] == [one.remedy for one in second.remedies]
    pairs = zip(first.model.parameters(), second.model.parameters(), strict=True)
    assert all(torch.equal(one, other) for one, other in pairs)
    trained, seen = (batches.gathered()[0] for batches in first.plan.batches)
    same = (batches.gathered()[0] for batches in second.plan.batches)
    assert torch.equal(trained, next(same))
    assert not torch.equal(seen, next(same))
    assert torch.allclose(trained.mean(0), torch.zeros(2), atol=0.2)
    assert first.after > 0.9
