from __future__ import annotations

import pytest
import torch

from paramedic.treat.remedies.clip_norm import ClipNorm
from paramedic.treat.remedies.reading import gradient_norms
from paramedic.treat.remedy import Refusal
from tests.treat.plans import plan
from tests.treat.remedies.findings import finding

SGD, ADAM = torch.optim.SGD, torch.optim.Adam


EXPLODING = finding("exploding-gradient")


def test_the_norm_is_clipped_as_measured() -> None:
    told = finding("exploding-gradient", usual=0.25)
    assert ClipNorm().apply(plan(), told).plan.clip_norm == 0.25
    measured = ClipNorm().apply(plan(), EXPLODING).plan.clip_norm
    norms = sorted(gradient_norms(plan()))
    assert measured == pytest.approx((norms[1] + norms[2]) / 2, rel=0.05)
    with pytest.raises(Refusal, match="already"):
        ClipNorm().apply(plan(clip_norm=1e-3), EXPLODING)


def test_a_plain_optimizer_is_clipped_by_how_far_it_moves() -> None:
    slow, fast = (
        ClipNorm().apply(plan(optimizer=(SGD, {"lr": lr})), EXPLODING).plan.clip_norm
        for lr in (1e-4, 10.0)
    )
    assert fast is not None
    assert slow is not None
    assert fast < 0.1 * slow
