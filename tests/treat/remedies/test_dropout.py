from __future__ import annotations

from torch import nn

from paramedic.treat.remedies.dropout import Dropout
from tests.treat.plans import plan
from tests.treat.remedies.findings import finding


def test_dropout_is_added_or_set() -> None:
    ours = Dropout().apply(plan(), finding("overfitting")).plan.build_model()
    much = Dropout(share=0.5).apply(plan(), finding("overfitting")).plan.build_model()
    shares = [
        [one.p for one in model.modules() if isinstance(one, nn.Dropout)] for model in (ours, much)
    ]
    assert shares == [[0.1, 0.1], [0.5, 0.5]]
