from __future__ import annotations

import pytest
import torch

from paramedic.treat.preparations import Standardise
from paramedic.treat.remedies.inputs import (
    CleanInputs,
    ClipInputs,
    ImputeInputs,
    StandardiseInputs,
)
from paramedic.treat.remedy import Refusal
from tests.treat.plans import plan, points
from tests.treat.remedies.findings import finding

X, Y = points(96)


def test_inputs_are_cleaned() -> None:
    x = 1000 * X.clone()
    x[0, 0], x[1, 1] = torch.nan, 1e8
    sick = plan(train=(x, Y), validation=(x, Y))
    treated = CleanInputs().apply(sick, finding("abnormal-data")).plan
    after = treated.batches[0].gathered()[0]
    assert bool(torch.isfinite(after).all())
    assert float(after.abs().max()) < 10
    assert float(after.std()) == pytest.approx(1.0, abs=0.2)
    with pytest.raises(Refusal, match="already"):
        CleanInputs().apply(treated, finding("abnormal-data"))


def test_each_repair_of_inputs_refuses_what_is_sound() -> None:
    abnormal = finding("abnormal-data")
    for remedy in (ImputeInputs(), ClipInputs()):
        with pytest.raises(Refusal):
            remedy.apply(plan(), abnormal)
    with pytest.raises(Refusal, match="as they should"):
        StandardiseInputs().apply(plan(), finding("slow-convergence"))
    large = plan(train=(1000 * X, Y))
    assert StandardiseInputs().apply(large, finding("slow-convergence")).plan.inputs == (
        Standardise(),
    )


def test_gaps_and_outliers_are_repaired_one_by_one() -> None:
    abnormal, gap, far = finding("abnormal-data"), X.clone(), X.clone()
    gap[0, 0], far[0, 0] = torch.inf, 1e6
    filled = ImputeInputs().apply(plan(train=(gap, Y)), abnormal).plan
    assert bool(torch.isfinite(filled.batches[0].gathered()[0]).all())
    cut = ClipInputs().apply(plan(train=(far, Y)), abnormal).plan
    assert float(cut.batches[0].gathered()[0].max()) < 100
