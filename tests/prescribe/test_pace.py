from __future__ import annotations

import numpy as np
import pytest

from paramedic.prescribe.pace import (
    bearable_norm,
    healthy_norm,
    is_adaptive,
    movement,
    onset,
    optimizer,
    rate,
)
from tests.diagnose.windows import chart_of, window
from tests.prescribe.cases import ADAM, SGD, finding


def test_the_rate_is_that_of_the_newest_frame_or_of_the_optimizer() -> None:
    assert rate(window(scalars={"lr/0": [0.1, 0.05]})) == 0.05
    assert rate(window(chart=chart_of(1, optimizers=(SGD,)))) == 0.1
    assert rate(window()) is None


def test_optimizers_that_divide_by_the_gradient() -> None:
    assert is_adaptive(window(chart=chart_of(1, optimizers=(ADAM,))))
    assert not is_adaptive(window(chart=chart_of(1, optimizers=(SGD,))))
    assert optimizer(window()) == {}


def test_movement_is_told_by_the_finding_or_seen_in_the_typical_layer() -> None:
    seen = window(layers={"update_ratio": [[1e-3, 2e-3, 9e-3]] * 4})
    assert movement(finding("x", update_ratio=0.5), seen) == 0.5
    assert movement(finding("x"), seen) == pytest.approx(2e-3)
    assert movement(finding("x"), window()) is None


def test_the_onset() -> None:
    seen = window(scalars={"grad_norm": [1.0] * 41})
    assert onset(finding("non-finite", first_step=12), seen) == 12
    assert onset(finding("loss-explosion", step=30), seen) == 30
    assert onset(finding("exploding-gradient", growth=1e4), seen) == 10
    assert onset(finding("exploding-gradient", growth=2.0), seen) == -1
    assert onset(finding("learning-rate-too-high"), seen) == -1


def test_healthy_norms_need_a_few_steps() -> None:
    few = window(scalars={"grad_norm": [1.0] * 5})
    assert healthy_norm(finding("loss-explosion"), few) is None
    enough = window(scalars={"grad_norm": np.full(20, 3.0)})
    assert healthy_norm(finding("loss-explosion"), enough) == pytest.approx(3.0)


def test_a_bearable_step_is_smaller_with_momentum() -> None:
    def norm(momentum: float) -> float | None:
        chart = chart_of(1, optimizers=({**SGD, "momentum": momentum},))
        return bearable_norm(window(chart=chart, layers={"weight_norm": [10.0]}))

    assert norm(0.0) == pytest.approx(1.0)
    assert norm(0.9) == pytest.approx(0.1)
    adam = window(chart=chart_of(1, optimizers=(ADAM,)), layers={"weight_norm": [10.0]})
    assert bearable_norm(adam) is None
