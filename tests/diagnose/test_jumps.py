from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from paramedic.diagnose.causes import diagnose
from paramedic.diagnose.detector import Detector
from paramedic.diagnose.detectors.exploding_gradient import ExplodingGradient
from paramedic.diagnose.detectors.vanishing_gradient import VanishingGradient
from paramedic.diagnose.engine import Engine
from paramedic.diagnose.jumps import JUMP, Startle, jump, loss_ratio
from paramedic.types import Event, Frame, Layer, Severity, Window
from tests.diagnose.detectors.judging import fires, judge
from tests.diagnose.detectors.losses import resting
from tests.diagnose.windows import chart_of, window

CALM = 1.0 + 0.1 * np.sin(np.arange(40.0))


def norms(*last: float) -> Window:
    """Forty calm gradients and these."""
    values = np.concatenate([CALM, last])
    layers = {"weight_norm": np.ones((len(values), 1)), "grad_norm": values.reshape(-1, 1)}
    scalars = {"grad_norm": values, "loss": 1.0}
    return window(len(values), layers=layers, scalars=scalars, losses=resting(1.0))


def test_the_largest_of_the_newest() -> None:
    found = jump(norms(20.0, 1.0, 1.0))
    assert found is not None
    assert found.step == 40
    assert found.usual == pytest.approx(1.0, abs=0.1)
    assert found.beyond == pytest.approx(20 / 1.1, rel=0.05)


def test_too_few_are_known() -> None:
    assert jump(window()) is None
    assert jump(window(8, scalars={"grad_norm": CALM[:8]})) is None
    assert jump(window(40, scalars={"grad_norm": np.nan})) is None


def test_a_gradient_times_twenty() -> None:
    found = fires(ExplodingGradient(), norms(20.0), Severity.WARNING)
    assert found.evidence["moment"] == 40
    assert found.evidence["against_largest"] > found.evidence["threshold"]
    assert found.explains == ()
    assert judge(ExplodingGradient(), norms(3.0)) is None
    assert judge(ExplodingGradient(), norms(20.0, *[1.0] * 6)) is None, "long ago"


def test_a_wild_run_is_not_warned_of_one_more_jump() -> None:
    wild = np.exp(np.random.default_rng(0).normal(0, 0.8, 40))
    given = np.concatenate([wild, [5.5 * wild.max()]])
    layers = {"weight_norm": np.ones((41, 1)), "grad_norm": given.reshape(-1, 1)}
    scalars = {"grad_norm": given, "loss": 1.0}
    fires(
        ExplodingGradient(),
        window(41, layers=layers, scalars=scalars, losses=resting(1.0)),
        Severity.INFO,
    )


def test_a_gradient_of_next_to_nothing() -> None:
    found = fires(VanishingGradient(), norms(1e-8), Severity.WARNING)
    assert found.evidence["against_smallest"] < found.evidence["threshold"]
    assert judge(VanishingGradient(), norms(0.01)) is None
    fires(VanishingGradient(), norms(0.0), Severity.WARNING)


def _run(engine: Engine, values: np.ndarray) -> None:
    for step, norm in enumerate(values):
        layers = {"weight_norm": np.ones(1, np.float32), "grad_norm": np.array([norm], np.float32)}
        scalars = {"loss": 1.0, "loss_finite": 1.0, "grad_norm": float(norm), "grad_finite": 1.0}
        engine.pulse(step, 1.0, finite=True, skipped=False)
        engine.frame(Frame(step, "full", scalars, layers))


@pytest.mark.parametrize("at", [130, 777, 1001])
@pytest.mark.parametrize(
    ("factor", "detector"), [(20.0, ExplodingGradient()), (1e-8, VanishingGradient())]
)
def test_one_step_is_told_within_three(at: int, factor: float, detector: Detector) -> None:
    values = np.resize(CALM, 1100)
    values[at] *= factor
    engine = Engine([detector])
    _run(engine, values)
    assert [case.finding.slug for case in engine.cases] == [detector.slug]
    assert at <= engine.cases[0].opened <= at + 3


def test_both_in_one_run_do_not_contradict_each_other() -> None:
    values = np.resize(CALM, 600)
    values[300] *= 20.0
    values[500] *= 1e-8
    engine = Engine([ExplodingGradient(), VanishingGradient()])
    _run(engine, values)
    found = diagnose(engine.cases, engine.detectors)
    assert {finding.slug for finding in found.findings} == {
        "exploding-gradient",
        "vanishing-gradient",
    }


def test_a_calm_run_never_startles() -> None:
    startle = Startle()
    assert not any(startle.notices(float(norm)) for norm in np.resize(CALM, 500))
    assert not any(Startle().notices(float("nan")) for _ in range(50))


def test_a_new_level_startles_for_a_while() -> None:
    startle = Startle()
    noticed = [startle.notices(float(norm)) for norm in np.repeat([1.0, 100.0], 200)]
    assert not any(noticed[:200])
    assert noticed[200]
    assert 3 <= sum(noticed) <= 20


def test_a_rate_that_leaps_startles_until_the_losses_can_tell() -> None:
    startle = Startle()
    rates = [0.1] * 30 + [3.0] * 30 + [0.1] * 30 + [3.0] * 30
    noticed = [startle.notices(1.0, rate) for rate in rates]
    assert [place for place, one in enumerate(noticed) if one] == list(range(30, 38))
    warm_up = Startle()
    assert not any(warm_up.notices(1.0, 0.001 * 1.2**step) for step in range(60))


# -- jumps that the probe told of ----------------------------------------------------------------


def told(step: int = 40, **data: Any) -> Event:
    """All layers twenty times their usual gradient, or as given."""
    usual = {"ratio": 20.0, "beyond": 10.0, "deviations": 9.0, "norm": 20.0, "usual": 1.0}
    return Event(step, JUMP, "", {**usual, "up": {}, "down": {}, **data})


ALONE = {"ratio": 1.0, "beyond": 1.0, "deviations": 0.5}


def seen(event: Event, loss: float = 1.0, frames: int = 44, **more: Any) -> Window:
    """A calm run with a jump, and the loss of that step."""
    losses = np.where(np.arange(frames) == 40, loss, 1.0 + 0.01 * np.sin(np.arange(frames)))
    norms = more.pop("norms", np.ones(frames))
    layers = {"weight_norm": np.ones((frames, 2)), "grad_norm": np.stack([norms] * 2, 1)}
    scalars = {"grad_norm": norms, "loss": losses}
    return window(frames, layers=layers, scalars=scalars, losses=losses, events=[event], **more)


def test_a_jump_of_all_layers_that_the_loss_does_not_explain() -> None:
    found = fires(ExplodingGradient(), seen(told()), Severity.WARNING)
    assert (found.evidence["moment"], found.where) == (40, ())
    assert judge(ExplodingGradient(), seen(told(), loss=3.0)) is None, "the batch is to blame"
    assert judge(ExplodingGradient(), seen(told(), frames=50)) is None, "long ago"
    scattered = {"deviations": 4.5, "beyond": 5.0}
    for little in ({"ratio": 5.0}, {"beyond": 2.0}, {"deviations": 3.0}, scattered):
        assert judge(ExplodingGradient(), seen(told(**little))) is None
    unheard = told(**{**scattered, "beyond": 6.0})
    fires(ExplodingGradient(), seen(unheard), Severity.WARNING)


def test_a_recurrent_net_jumps_by_nature() -> None:
    chart = chart_of(2)
    recurrent = replace(chart, layers=(Layer("rnn", "RNN"), chart.layers[1]))
    assert judge(ExplodingGradient(), seen(told(), chart=recurrent)) is None
    fires(ExplodingGradient(), seen(told(deviations=20.0), chart=recurrent), Severity.WARNING)


def test_one_layer_beside_the_others() -> None:
    layer = {"layer1": [20.0, 1.0, 9.0]}
    found = fires(ExplodingGradient(), seen(told(**ALONE, up=layer)), Severity.WARNING)
    assert found.where == ("layer1",)
    assert judge(ExplodingGradient(), seen(told(**ALONE, up={"layer1": [20.0, 1.0, 2.0]}))) is None
    assert judge(ExplodingGradient(), seen(told(**ALONE, up={"layer1": [6.0, 1.0, 9.0]}))) is None
    both = told(**{**ALONE, "ratio": 4.0}, up=layer)
    assert judge(ExplodingGradient(), seen(both)) is None, "of that, all layers did four times"


def test_a_layer_that_wakes_up_is_no_explosion() -> None:
    """Of a char-GPT under SGD, when attention began to learn."""
    total = {"norm": 0.82, "usual": 0.4, "rows": 9}
    woken = told(**ALONE, **total, up={"positions": [0.5, 0.013, 7.5]})
    assert judge(ExplodingGradient(), seen(woken)) is None
    large = told(**ALONE, **total, up={"positions": [0.8, 0.013, 7.5]})
    fires(ExplodingGradient(), seen(large), Severity.WARNING)


def test_a_gradient_that_is_gone() -> None:
    gone = {"ratio": 1e-8, "beyond": 1e-8, "deviations": -50.0, "norm": 1e-8}
    found = fires(VanishingGradient(), seen(told(**gone)), Severity.WARNING)
    assert found.evidence["moment"] == 40
    assert judge(VanishingGradient(), seen(told(**gone), loss=0.01)) is None, "nothing to learn"
    assert judge(VanishingGradient(), seen(told(**gone), frames=60)) is None, "it came back"
    assert judge(VanishingGradient(), seen(told(**{**gone, "ratio": 1e-3}))) is None


def test_a_gradient_that_stays_away() -> None:
    gone = {"ratio": 1e-8, "beyond": 1e-8, "deviations": -50.0, "norm": 1e-8}
    away = np.where(np.arange(60) >= 40, 1e-8, 1.0)
    found = fires(VanishingGradient(), seen(told(**gone), frames=60, norms=away), Severity.WARNING)
    assert found.evidence["first_step"] == 40
    assert "loss-plateau" in found.explains
    layer = told(**ALONE, down={"layer1": [1e-8, 1.0, -40.0]})
    found = fires(VanishingGradient(), seen(layer, frames=60, norms=away), Severity.WARNING)
    assert found.where == ("layer1",)


def test_losses_beside_a_jump() -> None:
    assert loss_ratio(seen(told(), loss=3.0), 40) == pytest.approx(3.0, rel=0.02)
    assert np.isnan(loss_ratio(seen(told()), 400))
    assert np.isnan(loss_ratio(window(4), 2))
    negative = window(44, losses=-np.ones(44))
    assert np.isnan(loss_ratio(negative, 40))
