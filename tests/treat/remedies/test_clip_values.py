from __future__ import annotations

import pytest

from paramedic.treat.remedies.clip_values import ClipValues
from paramedic.treat.remedy import Refusal
from tests.treat.plans import plan
from tests.treat.remedies.findings import finding

EXPLODING = finding("exploding-gradient")


def test_values_are_clipped_to_ten() -> None:
    treated = ClipValues().apply(plan(), EXPLODING)
    assert treated.plan.clip_value == 10.0
    with pytest.raises(Refusal, match="already"):
        ClipValues().apply(treated.plan, EXPLODING)
