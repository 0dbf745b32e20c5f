from __future__ import annotations

import math

from paramedic.prescribe.remedies.interventions import RollBack, SkipStep, Stop
from tests.diagnose.windows import window
from tests.prescribe.cases import dose, finding

NAN = math.nan


def test_a_single_bad_step_is_skipped() -> None:
    seen = window(losses=[1.0] * 20 + [NAN] + [1.0] * 20)
    given = dose(SkipStep(), finding("non-finite", first_step=20, origin="input"), seen)
    assert (given.action, given.args) == ("skip-step", {})
    assert "isfinite(loss)" in given.code


def test_when_all_steps_are_bad_there_is_nothing_to_skip_to() -> None:
    seen = window(losses=[1.0] * 20 + [NAN] * 20)
    assert SkipStep().dose(finding("non-finite", first_step=20, origin="input"), seen) is None
    assert SkipStep().dose(finding("non-finite", first_step=0), window(losses=[NAN])) is None


def test_ruined_weights_are_not_helped_by_skipping() -> None:
    found = finding("non-finite", first_step=20, origin="weight")
    assert SkipStep().dose(found, window(losses=[1.0] * 20)) is None


def test_a_run_that_never_was_sound_cannot_go_back() -> None:
    assert RollBack().dose(finding("non-finite", first_step=0), window()) is None


def test_going_back_and_stopping() -> None:
    assert dose(RollBack(), finding("loss-explosion")).action == "roll-back"
    assert dose(Stop(), finding("loss-explosion")).action == "stop"
