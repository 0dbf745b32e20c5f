from __future__ import annotations

import json
import math
from typing import Any

import pytest

from paramedic.reading import parse_json as parse
from paramedic.trace.validation import build
from paramedic.types import Chart, Epoch, Event, Layer, Task

CHART = Chart(
    layers=(Layer("a", "Linear", 5, activation="relu"), Layer("b", "ReLU")),
    optimizers=({"name": "Adam", "lr": 0.1},),
    task=Task.BINARY,
    versions={"torch": "2"},
    not_checked={"D001": "no labels"},
)


@pytest.mark.parametrize(
    "value",
    [CHART, Chart(), Epoch(1, 20, {"val_loss": 0.5, "n": 3}), Event(3, "nan", "x", {"a": [1]})],
)
def test_what_was_written_comes_back(value: Chart | Epoch | Event) -> None:
    assert build(type(value), json.dumps(value.to_json())) == value


def test_losses_that_are_not_finite_come_back() -> None:
    epoch = build(Epoch, json.dumps(Epoch(0, 1, {"a": math.inf, "b": math.nan}).to_json()))
    assert epoch.values["a"] == math.inf
    assert math.isnan(epoch.values["b"])


def test_unknown_fields_are_ignored() -> None:
    assert build(Event, '{"step": 1, "kind": "k", "message": "m", "later": 1}').step == 1


def _changed(**changes: Any) -> str:
    return json.dumps({**CHART.to_json(), **changes})


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (_changed(layers=5), "`Chart.layers` is 5, not a list"),
        (_changed(layers=["a"]), r"`Chart.layers\[0\]` is 'a', not an object"),
        (_changed(layers=[{"name": 1, "kind": "x"}]), r"`Chart.layers\[0\].name` is 1, not str"),
        (_changed(layers=[{"kind": "x"}]), "name"),
        (_changed(layers=[{"name": "a", "kind": "x", "parameters": 1.5}]), "not int"),
        (_changed(layers=[{"name": "a", "kind": "x", "parameters": True}]), "not int"),
        (_changed(layers=[{"name": "a", "kind": "x", "tied_to": []}]), "tied_to"),
        (_changed(optimizers=[1]), "not an object"),
        (_changed(task="poetry"), "not Task"),
        (_changed(task=["binary"]), "not Task"),
        (_changed(compiled="yes"), "not bool"),
        (_changed(versions=[]), "`Chart.versions` is .*, not an object"),
        (_changed(versions={"torch": 2}), "not str"),
        ("[]", "not an object"),
        ("null", "not an object"),
        ("{", "bad JSON"),
        ("", "bad JSON"),
        ("[" * 100_000, "nested too deeply"),
        ('{"batch_size": ' + "9" * 5000 + "}", "bad JSON"),
    ],
)
def test_anything_else_is_refused(text: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        build(Chart, text)


@pytest.mark.parametrize("values", [{"a": "1"}, {"a": None}, {"a": True}, [1], 7])
def test_the_values_of_an_epoch_must_be_numbers(values: Any) -> None:
    with pytest.raises(ValueError, match=r"Epoch\.values"):
        build(Epoch, json.dumps({"epoch": 1, "step": 2, "values": values}))


def test_parse_gives_any_json() -> None:
    assert parse('[1, {"a": null}]') == [1, {"a": None}]
