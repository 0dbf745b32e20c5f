from __future__ import annotations

from typing import Any

from paramedic.prescribe.remedies.change_optimizer import ChangeOptimizer, MinimiseLoss
from tests.diagnose.windows import chart_of, window
from tests.prescribe.cases import ADAM, SGD, dose, finding


def _with(**settings: Any) -> Any:
    return window(chart=chart_of(2, optimizers=(settings,)))


def test_a_slow_descent_becomes_adam() -> None:
    given = dose(ChangeOptimizer(), finding("slow-convergence"), _with(**SGD))
    assert given.code == "optimizer = torch.optim.Adam(model.parameters(), lr=0.001)"


def test_too_much_momentum_becomes_the_usual_one_at_the_same_rate() -> None:
    seen = _with(**{**SGD, "momentum": 0.99})
    given = dose(ChangeOptimizer(), finding("oscillating-loss"), seen)
    assert given.code.endswith("SGD(model.parameters(), lr=0.1, momentum=0.9)")


def test_nothing_to_change() -> None:
    assert ChangeOptimizer().dose(finding("slow-convergence"), _with(**ADAM)) is None
    assert ChangeOptimizer().dose(finding("slow-convergence"), window()) is None
    usual = _with(**{**SGD, "momentum": 0.9})
    assert ChangeOptimizer().dose(finding("oscillating-loss"), usual) is None


def test_a_loss_that_is_maximised() -> None:
    given = dose(MinimiseLoss(), finding("loss-explosion"), _with(**{**SGD, "maximize": True}))
    assert given.code == (
        "optimizer = torch.optim.SGD(model.parameters(), lr=0.1)  # without maximize=True"
    )
    assert MinimiseLoss().dose(finding("loss-explosion"), _with(**SGD)) is None
