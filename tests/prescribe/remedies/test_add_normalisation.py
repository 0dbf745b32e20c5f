from __future__ import annotations

from paramedic.prescribe.remedies.add_normalisation import AddNormalisation
from paramedic.types import Layer
from tests.diagnose.windows import chart_of, window
from tests.prescribe.cases import dose, finding, net


def test_batch_normalisation_with_the_width_of_the_layer() -> None:
    seen = window(chart=net("ReLU", "ReLU", width=32), scalars={"batch_size": [64.0]})
    given = dose(AddNormalisation(), finding("dying-relu"), seen)
    assert given.code.splitlines()[0] == (
        "model.fc0 = nn.Sequential(model.fc0, nn.BatchNorm1d(model.fc0.out_features))"
    )
    assert given.args["layers"] == ["fc0", "fc1"]


def test_layer_normalisation_for_small_batches() -> None:
    seen = window(chart=net("ReLU", "ReLU"), scalars={"batch_size": [2.0]})
    assert (
        "nn.LayerNorm(model.fc0.out_features)"
        in dose(AddNormalisation(), finding("dying-relu"), seen).code
    )


def test_convolutions() -> None:
    conv = Layer("conv", "Conv2d", 16 * (27 + 1), fan_in=27)
    seen = window(chart=chart_of(conv, Layer("head", "Linear", 10 * 17, fan_in=16)))
    assert (
        "nn.BatchNorm2d(model.conv.out_channels)"
        in dose(AddNormalisation(), finding("dying-relu"), seen).code
    )


def test_not_where_there_is_one() -> None:
    layers = (*net("ReLU").layers[:2], Layer("norm", "LayerNorm", 16), *net("ReLU").layers[2:])
    seen = window(chart=chart_of(*layers))
    assert AddNormalisation().dose(finding("dying-relu"), seen) is None
