from __future__ import annotations

import pytest

from paramedic.treat.remedies.warm_up import WarmUp
from paramedic.treat.remedy import Refusal
from tests.treat.plans import plan
from tests.treat.remedies.findings import finding

EXPLODING = finding("exploding-gradient")


def test_warm_up() -> None:
    assert WarmUp().apply(plan(epochs=50), EXPLODING).plan.warmup == 80
    assert WarmUp().apply(plan(epochs=1), EXPLODING).plan.warmup == 10
    with pytest.raises(Refusal, match="already"):
        WarmUp().apply(plan(warmup=5), EXPLODING)
