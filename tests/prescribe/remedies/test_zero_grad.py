from __future__ import annotations

from paramedic.prescribe.remedies.zero_grad import ZeroGrad
from tests.diagnose.windows import chart_of, window
from tests.prescribe.cases import dose, finding


def test_the_line_of_code() -> None:
    given = dose(ZeroGrad(), finding("missing-zero-grad"))
    assert given.code == "optimizer.zero_grad()  # before loss.backward()"


def test_accumulation_is_respected() -> None:
    seen = window(chart=chart_of(1, accumulate=4))
    assert "every 4 backward passes" in dose(ZeroGrad(), finding("missing-zero-grad"), seen).title
