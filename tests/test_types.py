"""The vocabulary survives a JSON round trip and cannot be changed by accident."""

from __future__ import annotations

import dataclasses
import json
from typing import Any

import numpy as np
import pytest

from paramedic.types import (
    Chart,
    Epoch,
    Event,
    Finding,
    Layer,
    Pulse,
    Remedy,
    Safety,
    Severity,
    Task,
    Window,
)

EXAMPLES: list[Any] = [
    Layer("fc1", "Linear", 12, trainable=False, activation="relu", tied_to="fc0"),
    Chart(
        layers=(Layer("a", "Linear"), Layer("b", "ReLU", order=1)),
        optimizers=({"name": "SGD", "lr": 0.1},),
        loss="mse",
        task=Task.REGRESSION,
        batch_size=32,
        versions={"torch": "2.13"},
        not_checked={"activations": "compiled"},
    ),
    Epoch(3, 120, {"val_loss": 0.5}),
    Event(7, "non-finite", "Step 7", {"where": "fc1"}),
    Remedy("clip", "Clip", 0.8, Safety.UNSAFE, "clip", {"norm": 1.0}, "clip(1.0)", "- a\n+ b"),
    Remedy("clip", "Clip", 0.8, ground="worked in 8 of 10", against=("exploding-gradient",)),
    Finding(
        "G001",
        "vanishing-gradient",
        Severity.WARNING,
        0.9,
        "It vanishes.",
        5,
        ("fc1",),
        {"ratio": 1e-9},
        ("loss-plateau",),
    ),
]


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda one: type(one).__name__)
def test_json_round_trip(example: Any) -> None:
    text = json.dumps(example.to_json(), allow_nan=False)
    assert type(example).from_json(json.loads(text)) == example


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda one: type(one).__name__)
def test_frozen(example: Any) -> None:
    name = dataclasses.fields(example)[0].name
    with pytest.raises(dataclasses.FrozenInstanceError):
        setattr(example, name, None)


def test_fields_of_a_newer_version_are_passed_over() -> None:
    assert Layer.from_json({"name": "a", "kind": "Linear", "colour": "blue"}) == Layer(
        "a", "Linear"
    )


def _window(frames: int) -> Window:
    empty = np.empty(0)
    pulse = Pulse(empty.astype(np.int64), empty, empty.astype(np.bool_), empty.astype(np.bool_))
    layers = (Layer("a", "Linear"), Layer("b", "Linear"))
    return Window(
        Chart(layers=layers),
        np.arange(frames),
        {"loss": np.arange(frames, dtype=np.float64)},
        {"grad_norm": np.ones((frames, 2), np.float32)},
        pulse,
        (Epoch(0, 1, {"val_loss": 2.0}), Epoch(1, 2, {})),
    )


def test_a_window_answers_for_what_was_never_measured() -> None:
    window = _window(3)
    assert (len(window), window.step, window.names) == (3, 2, ("a", "b"))
    assert window.scalar("loss").tolist() == [0.0, 1.0, 2.0]
    assert np.isnan(window.scalar("scale")).all()
    assert window.layer("act_dead").shape == (3, 2)
    assert np.isnan(window.layer("act_dead")).all()
    assert window.series("val_loss")[0] == 2.0
    assert np.isnan(window.series("val_loss")[1])
    assert _window(0).step == -1
