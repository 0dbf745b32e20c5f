from __future__ import annotations

import numpy as np
import pytest

from paramedic.prescribe.remedies.rate import CapRate, LowerRate, RaiseRate, WarmUp
from tests.diagnose.windows import chart_of, window
from tests.prescribe.cases import ADAM, SGD, dose, finding


def test_the_new_rate_follows_from_the_update_ratio() -> None:
    seen = window(layers={"update_ratio": [0.02, 0.04, 0.08]}, scalars={"lr/0": [0.1] * 4})
    given = dose(LowerRate(), finding("loss-explosion"), seen)
    assert given.action == "scale-rate"
    assert given.args == {"factor": pytest.approx(3e-3 / 0.04)}
    assert given.code == 'for group in optimizer.param_groups: group["lr"] *= 0.075'
    assert "from 0.1 to 0.0075" in given.title


def test_the_optimizer_is_made_with_the_new_rate_and_the_settings_of_the_user() -> None:
    settings = {**SGD, "momentum": 0.9, "weight_decay": 1e-4}
    seen = window(
        chart=chart_of(3, optimizers=(settings,)),
        layers={"update_ratio": [0.02, 0.04, 0.08]}, scalars={"lr/0": [0.1] * 4},
    )  # fmt: skip
    given = dose(LowerRate(), finding("loss-explosion"), seen)
    assert given.code == (
        "optimizer = torch.optim.SGD(model.parameters(), lr=0.0075, momentum=0.9, "
        "weight_decay=0.0001)  # lr was 0.1"
    )


def test_what_the_finding_saw_counts_first() -> None:
    seen = window(layers={"update_ratio": [0.02, 0.04, 0.08]}, scalars={"lr/0": [0.1] * 4})
    given = dose(LowerRate(), finding("learning-rate-too-high", update_ratio=0.5), seen)
    assert given.args == {"factor": 0.006}


def test_the_rate_is_halved_when_nothing_is_known_and_never_less() -> None:
    assert dose(LowerRate(), finding("loss-explosion")).code.endswith('group["lr"] *= 0.5')
    slow = window(layers={"update_ratio": [1e-5, 1e-5, 1e-5]})
    assert dose(LowerRate(), finding("oscillating-loss"), slow).args == {"factor": 0.5}


def test_a_loss_that_is_maximised_is_not_helped_by_any_rate() -> None:
    seen = window(chart=chart_of(2, optimizers=({**SGD, "maximize": True},)))
    assert LowerRate().dose(finding("loss-explosion"), seen) is None


def test_vanishing_gradients_move_the_typical_layer_too_little_to_tell() -> None:
    seen = window(layers={"update_ratio": [1e-9, 1e-9, 1e-3]})
    assert dose(RaiseRate(), finding("vanishing-gradient"), seen).args == {"factor": 2.0}


def test_the_factor_is_bounded() -> None:
    wild = finding("learning-rate-too-high", update_ratio=1e6)
    assert dose(LowerRate(), wild).args == {"factor": 1e-3}
    still = finding("learning-rate-too-low", update_ratio=1e-12)
    assert dose(RaiseRate(), still).args == {"factor": 1e4}


def test_a_low_rate_is_raised_by_what_is_missing() -> None:
    seen = window(scalars={"lr/0": [1e-6] * 4})
    given = dose(RaiseRate(), finding("learning-rate-too-low", update_ratio=2e-6), seen)
    assert given.args == {"factor": 1500.0}
    assert given.code.endswith("*= 1500")
    assert "from 1e-06 to 0.0015" in given.title
    assert dose(RaiseRate(), finding("vanishing-gradient")).args == {"factor": 2.0}


def test_a_schedule_that_jumps_is_capped_between_its_rates() -> None:
    rates = [1e-3] * 4 + [1.0] * 4
    given = CapRate().dose(finding("loss-explosion"), window(scalars={"lr/0": rates}))
    assert given is not None
    assert 1e-3 <= given.args["most"] <= 0.5
    assert "min(group[" in given.code


def test_a_steady_rate_needs_no_cap() -> None:
    seen = window(scalars={"lr/0": np.linspace(0.1, 0.12, 8)})
    assert CapRate().dose(finding("loss-explosion"), seen) is None
    assert CapRate().dose(finding("loss-explosion"), window()) is None


def test_a_warm_up_is_as_long_as_the_memory_of_adam() -> None:
    chart = chart_of(2, optimizers=({**ADAM, "betas": (0.9, 0.98)},))
    seen = window(steps=[5000], chart=chart, scalars={"lr/0": [0.1]})
    given = dose(WarmUp(), finding("learning-rate-too-high"), seen)
    assert given.args == {"steps": 100}


@pytest.mark.parametrize(("steps", "length"), [(60, 6), (600, 60), (60_000, 2000)])
def test_a_warm_up_takes_a_tenth_of_the_run_at_most(steps: int, length: int) -> None:
    seen = window(steps=[steps - 1], chart=chart_of(2, optimizers=(ADAM,)), scalars={"lr/0": [0.1]})
    given = dose(WarmUp(), finding("learning-rate-too-high"), seen)
    assert given.args == {"steps": length}


def test_no_warm_up_of_a_handful_of_steps() -> None:
    seen = window(steps=[30], chart=chart_of(2, optimizers=(ADAM,)), scalars={"lr/0": [0.1]})
    assert WarmUp().dose(finding("learning-rate-too-high"), seen) is None


def test_no_warm_up_for_plain_descent_or_where_there_is_one() -> None:
    plain = window(chart=chart_of(2, optimizers=(SGD,)))
    assert WarmUp().dose(finding("learning-rate-too-high"), plain) is None
    rising = window(
        chart=chart_of(2, optimizers=(ADAM,)), scalars={"lr/0": np.linspace(1e-5, 1e-3, 8)}
    )
    assert WarmUp().dose(finding("learning-rate-too-high"), rising) is None


def test_one_odd_step_asks_for_no_other_rate() -> None:
    assert LowerRate().dose(finding("exploding-gradient", moment=40), window()) is None
    assert RaiseRate().dose(finding("vanishing-gradient", moment=40), window()) is None
