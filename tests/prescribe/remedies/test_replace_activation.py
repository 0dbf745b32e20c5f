from __future__ import annotations

from paramedic.prescribe.remedies.replace_activation import ReplaceActivation
from tests.diagnose.windows import window
from tests.prescribe.cases import dose, finding, net


def test_sigmoids_become_relus_where_the_gradient_vanishes() -> None:
    seen = window(chart=net("Sigmoid", "Sigmoid"))
    given = dose(ReplaceActivation(), finding("vanishing-gradient", "fc0"), seen)
    assert given.code == "model.act0 = nn.ReLU()\nmodel.act1 = nn.ReLU()"
    assert given.args["layers"] == ["act0", "act1"]
    assert "`act0`, `act1`" in given.title


def test_a_deep_stack_is_normalised_too() -> None:
    seen = window(chart=net(*["Sigmoid"] * 5))
    given = dose(ReplaceActivation(), finding("vanishing-gradient"), seen)
    assert given.code.splitlines()[1] == (
        "model.act1 = nn.Sequential(nn.BatchNorm1d(model.fc1.out_features), nn.ReLU())"
    )
    assert given.args["after"] == [f"fc{place}" for place in range(5)]


def test_dead_relus_become_leaky_and_only_those_named() -> None:
    seen = window(chart=net("ReLU", "ReLU", "Tanh"))
    given = dose(ReplaceActivation(), finding("dying-relu", "act1"), seen)
    assert given.code == "model.act1 = nn.LeakyReLU()"
    assert given.args["layers"] == ["act1"]


def test_an_activation_at_the_end_is_not_hidden() -> None:
    chart = net("ReLU")
    chart = type(chart)(layers=chart.layers[:2])
    assert ReplaceActivation().dose(finding("dying-relu"), window(chart=chart)) is None


def test_nothing_to_replace() -> None:
    seen = window(chart=net("ReLU", "ReLU"))
    assert ReplaceActivation().dose(finding("vanishing-gradient"), seen) is None
