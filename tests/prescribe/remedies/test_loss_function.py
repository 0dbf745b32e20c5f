from __future__ import annotations

from paramedic.prescribe.remedies.loss_function import LossFunction, RobustLoss
from tests.diagnose.windows import chart_of, window
from tests.prescribe.cases import dose, finding


def test_classes_want_cross_entropy_and_an_output_each() -> None:
    seen = window(chart=chart_of(2, loss="mse"))
    given = dose(LossFunction(), finding("improper-loss", classes=10.0), seen)
    assert "loss_fn = nn.CrossEntropyLoss()" in given.code
    assert "targets.long()" in given.code
    assert given.args == {"loss": "cross-entropy", "classes": 10}


def test_numbers_want_squares_and_yes_or_no_its_own() -> None:
    seen = window(chart=chart_of(2, loss="cross-entropy"))
    numbers = finding("improper-loss", target_min=-2.0, target_max=30.0)
    assert dose(LossFunction(), numbers, seen).code == "loss_fn = nn.MSELoss()"
    labels = finding("improper-loss", target_min=0.0, target_max=1.0)
    assert dose(LossFunction(), labels, seen).code.startswith("loss_fn = nn.BCEWithLogitsLoss()")


def test_a_robust_loss_bends_at_the_spread_of_the_targets() -> None:
    seen = window(chart=chart_of(2, loss="mse"), scalars={"target_std": [1.9, 2.0, 2.1, 80.0, 2.0]})
    given = dose(RobustLoss(), finding("gradient-instability"), seen)
    assert given.code.startswith("loss_fn = nn.HuberLoss(delta=2)")


def test_no_robust_loss_for_classes() -> None:
    seen = window(chart=chart_of(2, loss="cross-entropy"), scalars={"target_std": [1.0]})
    assert RobustLoss().dose(finding("gradient-instability"), seen) is None
