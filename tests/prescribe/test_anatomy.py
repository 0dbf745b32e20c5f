from __future__ import annotations

from paramedic.prescribe.anatomy import (
    BOUNDED,
    carriers,
    dropout,
    hidden_activations,
    is_normalised,
    units,
)
from paramedic.types import Layer
from tests.diagnose.windows import chart_of
from tests.prescribe.cases import net


def test_hidden_activations_by_kind() -> None:
    chart = net("Sigmoid", "ReLU", "Tanh")
    assert [one.name for one in hidden_activations(chart, BOUNDED)] == ["act0", "act2"]


def test_carriers_are_layers_with_weights_that_learn() -> None:
    chart = chart_of(
        Layer("a", "Linear", 6, fan_in=2),
        Layer("norm", "LayerNorm", 4),
        Layer("frozen", "Linear", 6, trainable=False, fan_in=2),
    )
    assert [one.name for one in carriers(chart)] == ["a"]


def test_units_with_and_without_bias() -> None:
    assert units(Layer("a", "Linear", 650, fan_in=64)) == 10
    assert units(Layer("a", "Linear", 640, fan_in=64)) == 10
    assert units(Layer("a", "LSTM", 640, fan_in=64)) == 0
    assert units(Layer("a", "ReLU")) == 0


def test_the_largest_dropout_counts() -> None:
    layers = [Layer("a", "Dropout", dropout=0.1), Layer("b", "Dropout", dropout=0.3)]
    assert dropout(chart_of(*layers)) == 0.3
    assert dropout(net("ReLU")) == 0.0


def test_a_normalisation_for_every_other_layer() -> None:
    plain = net("ReLU", "ReLU")
    assert not is_normalised(plain)
    assert is_normalised(chart_of(*plain.layers, Layer("norm", "BatchNorm1d", 16)))
