from __future__ import annotations

import pytest
from torch.utils.data import DataLoader, TensorDataset, WeightedRandomSampler

from paramedic.treat.remedies.batch_size import LargerBatch, SmallerBatch
from paramedic.treat.remedy import Refusal
from tests.treat.plans import plan, points
from tests.treat.remedies.findings import finding

OSCILLATING, SLOW = finding("oscillating-loss"), finding("slow-convergence")


@pytest.mark.parametrize(("now", "new"), [(8, 32), (32, 64), (100, 200), (200, 256)])
def test_batches_of_32_then_twice_as_many(now: int, new: int) -> None:
    treated = LargerBatch().apply(plan(train=points(1000), batch_size=now), OSCILLATING)
    assert treated.plan.batch_size == new


def test_batches_have_bounds() -> None:
    with pytest.raises(Refusal, match="too large for 256 samples"):
        LargerBatch().apply(plan(batch_size=128), OSCILLATING)
    many = plan(train=points(2000), batch_size=256)
    with pytest.raises(Refusal, match="as large as"):
        LargerBatch().apply(many, OSCILLATING)
    assert SmallerBatch().apply(many, SLOW).plan.batch_size == 64
    with pytest.raises(Refusal, match="small already"):
        SmallerBatch().apply(plan(batch_size=16), SLOW)


def test_a_loader_with_its_own_order_keeps_its_batches() -> None:
    data = TensorDataset(*points())
    sampler = WeightedRandomSampler([1.0] * 256, 256)
    with pytest.raises(Refusal, match="order of its own"):
        LargerBatch().apply(plan(train=DataLoader(data, 16, sampler=sampler)), OSCILLATING)
