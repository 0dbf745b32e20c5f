from __future__ import annotations

from typing import Any

import pytest

from paramedic.prescribe.remedies.regularisation import MoreDropout, WeightDecay
from paramedic.types import Layer
from tests.diagnose.windows import chart_of, window
from tests.prescribe.cases import ADAM, SGD, dose, finding, net


def _dropping(share: float) -> Any:
    return window(chart=chart_of(Layer("fc", "Linear", 10), Layer("d", "Dropout", dropout=share)))


@pytest.mark.parametrize(("now", "new"), [(0.2, 0.3), (0.45, 0.5)])
def test_a_tenth_more_dropout_up_to_a_half(now: float, new: float) -> None:
    given = dose(MoreDropout(), finding("overfitting"), _dropping(now))
    assert given.code.endswith(f"layer.p = {new:g}  # was {now:g}")
    assert (given.action, given.args) == ("raise-dropout", {"by": 0.1, "most": 0.5})


def test_a_first_dropout_cannot_be_given_to_a_live_run() -> None:
    given = dose(MoreDropout(), finding("overfitting"), window(chart=chart_of(2)))
    assert given.code.startswith("dropout = nn.Dropout(0.1)")
    assert given.action == ""
    given = dose(MoreDropout(), finding("overfitting"), window(chart=net("ReLU")))
    assert given.code == "model.act0 = nn.Sequential(model.act0, nn.Dropout(0.1))"
    assert given.action == ""


def test_half_is_enough() -> None:
    assert MoreDropout().dose(finding("overfitting"), _dropping(0.5)) is None


def test_weight_decay_grows_tenfold() -> None:
    def code(**settings: Any) -> str:
        seen = window(chart=chart_of(2, optimizers=(settings,)))
        return dose(WeightDecay(), finding("overfitting"), seen).code

    assert code(**ADAM) == (
        "optimizer = torch.optim.AdamW(model.parameters(), lr=0.001, weight_decay=0.01)"
    )
    assert code(**SGD) == (
        "optimizer = torch.optim.SGD(model.parameters(), lr=0.1, weight_decay=0.001)"
    )
    assert code(**{**SGD, "weight_decay": 2e-3}).endswith("weight_decay=0.02)")


def test_enough_weight_decay() -> None:
    seen = window(chart=chart_of(2, optimizers=({**SGD, "weight_decay": 0.1},)))
    assert WeightDecay().dose(finding("overfitting"), seen) is None
