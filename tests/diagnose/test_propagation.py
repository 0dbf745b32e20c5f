"""Numbers of char-GPTs: leaps by nature, when attention began to learn, and faults."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from paramedic.diagnose.detectors.exploding_gradient import ExplodingGradient
from paramedic.diagnose.propagation import evenness, passed_on, way_through
from paramedic.types import Chart, Event, Layer, Severity, Window
from tests.diagnose.detectors.judging import fires, judge
from tests.diagnose.test_jumps import ALONE, seen, told
from tests.diagnose.windows import chart_of

KINDS = {
    "tokens": "Embedding",
    "positions": "Embedding",
    "norm_attention": "LayerNorm",
    "qkv": "Linear",
    "project": "Linear",
    "norm_perceptron": "LayerNorm",
    "perceptron.0": "Linear",
    "perceptron.2": "Linear",
    "norm": "LayerNorm",
    "head": "Linear",
}
CHART = replace(chart_of(2), layers=tuple(Layer(*one) for one in KINDS.items()))
ATTENTION_WAKES = (20.0, 172.0, 396.0, 228.0, 94.1, 64.9, 35.2, 7.4, 3.3, 20.0)
ATTENTION_ALONE = (2.8, 52.5, 50.6, 31.6, 3.9, 3.0, 1.6, 0.9, 0.9, 2.8)
FAULT = (17.0, 25.0, 31.0, 22.0, 19.0, 18.0, 15.0, 20.0, 11.0, 17.0)
ONE_LAYER = (1.2, 1.3, 1.5, 20.0, 1.1, 0.9, 1.0, 0.9, 0.8, 1.2)


def leap(moves: tuple[float, ...], **data: Any) -> Event:
    return told(moves=dict(zip(KINDS, moves, strict=True)), **data)


def watched(event: Event) -> Window:
    return seen(event, chart=CHART)


def up(*names: str, moves: tuple[float, ...]) -> dict[str, list[float]]:
    times = dict(zip(KINDS, moves, strict=True))
    return {name: [times[name], 1.0, 9.0] for name in names}


def test_all_layers_alike_are_a_fault() -> None:
    fires(ExplodingGradient(), watched(leap(FAULT)), Severity.WARNING)


def test_attention_that_wakes_up_is_none() -> None:
    natural = leap(ATTENTION_WAKES, ratio=64.9, beyond=31.0, deviations=9.4)
    assert judge(ExplodingGradient(), watched(natural)) is None
    alone = {**ALONE, "up": up("positions", "norm_attention", "qkv", moves=ATTENTION_ALONE)}
    assert judge(ExplodingGradient(), watched(leap(ATTENTION_ALONE, **alone))) is None


@pytest.mark.parametrize("name", ["tokens", "positions", "qkv", "head"])
def test_one_layer_and_not_the_one_before_is_a_fault(name: str) -> None:
    moves = tuple(20.0 if one == name else 1.2 for one in KINDS)
    found = fires(
        ExplodingGradient(),
        watched(leap(moves, **ALONE, up=up(name, moves=moves))),
        Severity.WARNING,
    )
    assert found.where == (name,)


def test_neighbours_that_leap_together_are_a_fault() -> None:
    for names in (("qkv", "project"), ("perceptron.0", "perceptron.2")):
        moves = tuple(20.0 if one in names else 1.2 for one in KINDS)
        both = leap(moves, **ALONE, up=up(*names, moves=moves))
        assert fires(ExplodingGradient(), watched(both), Severity.WARNING).where == names
        second = leap(moves, **ALONE, up=up(names[1], moves=moves))
        assert fires(ExplodingGradient(), watched(second), Severity.WARNING).where == names[1:]


def test_the_whole_norm_may_leap_by_nature_too() -> None:
    """Seen on the frames; what the probe told of that step says that it began far inside."""
    norms = [1.0] * 40 + [50.0] + [1.0] * 3
    fires(ExplodingGradient(), seen(leap(FAULT), norms=norms, chart=CHART), Severity.WARNING)
    natural = leap(ATTENTION_WAKES, ratio=64.9, deviations=3.0)
    fires(ExplodingGradient(), seen(natural, norms=norms, chart=CHART), Severity.INFO)


def test_shares_of_a_leap() -> None:
    way = way_through(CHART)
    assert evenness(leap(FAULT), way, 20.0) == pytest.approx(0.80, abs=0.01)
    assert evenness(leap(ATTENTION_WAKES), way, 64.9) == pytest.approx(0.29, abs=0.01)
    for name in ("tokens", "positions", "norm_attention", "qkv"):
        assert passed_on(leap(ATTENTION_ALONE), way, name, 0.65), name
    assert not passed_on(leap(ONE_LAYER), way, "qkv", 0.65)


def test_a_branch_of_a_residual_net_begins_with_a_normalisation() -> None:
    way = way_through(CHART)
    within = dict.fromkeys(KINDS, 1.2)
    within |= {"norm_perceptron": 20.0, "perceptron.0": 20.0}
    assert passed_on(told(moves=within), way, "perceptron.0", 0.65)
    assert not passed_on(told(moves=within), way, "norm_perceptron", 0.65), "it leapt first"


def test_the_first_layer_is_told_by_the_next() -> None:
    way = [("first", "Linear"), ("second", "Linear")]
    for second, natural in ((20.0, True), (1.2, False)):
        event = told(moves={"first": 20.0, "second": second})
        assert passed_on(event, way, "first", 0.65) is natural


def test_what_was_not_told_excuses_nothing() -> None:
    way = way_through(CHART)
    assert evenness(told(), way, 20.0) == 1.0
    assert evenness(leap(FAULT), way_through(Chart()), 20.0) == 1.0
    assert evenness(leap(FAULT), way, 0.5) == 1.0
    assert not passed_on(told(), way, "qkv", 0.65)
    assert not passed_on(leap(ONE_LAYER), way, "perceptron.2", 0.65), "it did not leap"
    assert not passed_on(told(moves={"qkv": 20.0}), way, "qkv", 0.65), "nothing is beside it"
