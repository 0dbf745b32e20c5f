from __future__ import annotations

from paramedic.prescribe.remedies.size import LargerBatch, LargerModel
from paramedic.types import Layer
from tests.diagnose.windows import chart_of, window
from tests.prescribe.cases import dose, finding, net


def test_twice_the_batch_up_to_256() -> None:
    given = dose(LargerBatch(), finding("oscillating-loss"), window(scalars={"batch_size": [32.0]}))
    assert given.code == "batch_size = 64  # was 32"
    large = window(scalars={"batch_size": [256.0]})
    assert LargerBatch().dose(finding("oscillating-loss"), large) is None
    assert LargerBatch().dose(finding("oscillating-loss"), window()) is None


def test_a_linear_model_gets_a_hidden_layer() -> None:
    seen = window(chart=chart_of(Layer("0", "Linear", 6, fan_in=2)))
    given = dose(LargerModel(), finding("loss-plateau"), seen)
    assert given.code == (
        "model[0] = nn.Sequential(nn.Linear(model[0].in_features, 32), nn.ReLU(), "
        "nn.Linear(32, model[0].out_features))"
    )


def test_a_bottleneck_is_widened() -> None:
    given = dose(LargerModel(), finding("loss-plateau"), window(chart=net("Tanh", width=1)))
    assert given.code == (
        "model.fc0 = nn.Linear(model.fc0.in_features, 32)\n"
        "model.head = nn.Linear(32, model.head.out_features)"
    )
    assert "`head`" in given.title


def test_a_wide_net_is_wide_enough() -> None:
    seen = window(chart=net("Tanh", width=64))
    assert LargerModel().dose(finding("loss-plateau"), seen) is None
    assert LargerModel().dose(finding("loss-plateau"), window()) is None
