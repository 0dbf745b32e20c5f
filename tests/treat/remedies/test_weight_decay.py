from __future__ import annotations

import pytest
import torch

from paramedic.treat.remedies.weight_decay import WeightDecay
from paramedic.treat.remedy import Refusal
from tests.treat.plans import plan
from tests.treat.remedies.findings import finding

SGD, ADAM = torch.optim.SGD, torch.optim.Adam


def test_weight_decay() -> None:
    over = finding("overfitting")
    assert WeightDecay().apply(plan(), over).plan.optimizer == (
        torch.optim.AdamW, {"lr": 0.01, "weight_decay": 0.01},
    )  # fmt: skip
    plain = WeightDecay().apply(plan(optimizer=(SGD, {"lr": 0.1, "weight_decay": 0.001})), over)
    assert plain.plan.optimizer[1]["weight_decay"] == 0.01
    with pytest.raises(Refusal, match="already"):
        WeightDecay().apply(plan(optimizer=(SGD, {"lr": 0.1, "weight_decay": 0.5})), over)
