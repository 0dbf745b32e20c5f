from __future__ import annotations

from paramedic.prescribe.remedies.numerics import FullPrecision, GuardOperation
from paramedic.types import Event
from tests.diagnose.windows import window
from tests.prescribe.cases import dose, finding


def test_the_operation_that_bore_it_is_guarded() -> None:
    born = Event(3, "non-finite", "…", {"kind": "module", "operation": "LogBackward0"})
    found = finding("non-finite", "head", origin="module")
    given = dose(GuardOperation(), found, window(events=[born]))
    assert given.code == "torch.log(x.clamp_min(1e-8))"
    assert "(log) in `head`" in given.title


def test_an_unknown_operation_gets_the_usual_guards() -> None:
    given = dose(GuardOperation(), finding("non-finite", origin="loss"))
    assert "clamp_min" in given.code


def test_data_and_weights_are_no_operation() -> None:
    for origin in ("input", "target", "weight", "unknown"):
        assert GuardOperation().dose(finding("non-finite", origin=origin), window()) is None


def test_another_format_where_a_scaler_is_at_work() -> None:
    scaled = window(scalars={"scale": [65536.0, 32768.0]})
    assert "bfloat16" in dose(FullPrecision(), finding("non-finite"), scaled).code
    plain = window(scalars={"scale": [1.0, 1.0]})
    assert FullPrecision().dose(finding("non-finite"), plain) is None
