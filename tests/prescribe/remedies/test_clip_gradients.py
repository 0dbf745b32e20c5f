from __future__ import annotations

import numpy as np
import pytest

from paramedic.prescribe.remedies.clip_gradients import ClipGradients
from tests.diagnose.windows import chart_of, window
from tests.prescribe.cases import ADAM, SGD, dose, finding


def test_the_norm_is_that_of_the_healthy_steps() -> None:
    norms = np.concatenate([np.linspace(1, 3, 41), np.full(10, 1e5)])
    seen = window(scalars={"grad_norm": norms})
    given = dose(ClipGradients(), finding("loss-explosion", step=41), seen)
    assert given.action == "clip-gradients"
    assert given.args == {"max_norm": pytest.approx(2.8)}
    assert given.code.startswith("torch.nn.utils.clip_grad_norm_(model.parameters(), 2.8)")


def test_a_few_wild_steps_among_the_healthy_ones_do_not_move_it() -> None:
    norms = np.linspace(1, 3, 50)
    norms[::10] = 1e4
    seen = window(scalars={"grad_norm": norms})
    given = dose(ClipGradients(), finding("gradient-instability", step=50), seen)
    assert 2 < given.args["max_norm"] < 3


def test_without_a_healthy_time_a_step_moves_the_weights_by_a_hundredth() -> None:
    chart = chart_of(2, optimizers=(SGD,))
    seen = window(
        chart=chart,
        layers={"weight_norm": [3.0, 4.0]},
        scalars={"grad_norm": [1e6] * 20, "lr/0": 0.1},
    )
    given = dose(ClipGradients(), finding("exploding-gradient", growth=1.0), seen)
    assert given.args == {"max_norm": pytest.approx(0.01 * 5.0 / 0.1)}


def test_a_gradient_that_grew_was_healthy_before() -> None:
    norms = np.concatenate([np.full(16, 2.0), np.geomspace(10, 1e6, 48)])
    seen = window(scalars={"grad_norm": norms})
    given = dose(ClipGradients(), finding("exploding-gradient", growth=1e5), seen)
    assert given.args == {"max_norm": pytest.approx(2.0)}


def test_where_it_cannot_help() -> None:
    adam = window(chart=chart_of(2, optimizers=(ADAM,)))
    assert ClipGradients().dose(finding("learning-rate-too-high"), adam) is None
    upwards = window(chart=chart_of(2, optimizers=({**SGD, "maximize": True},)))
    assert ClipGradients().dose(finding("loss-explosion"), upwards) is None


def test_otherwise_the_usual_value() -> None:
    seen = window(chart=chart_of(2, optimizers=(ADAM,)), scalars={"grad_norm": [1e6] * 20})
    given = dose(ClipGradients(), finding("exploding-gradient", growth=1.0), seen)
    assert given.args == {"max_norm": 1.0}
