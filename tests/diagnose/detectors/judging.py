"""How a test asks a detector: as the engine does, and with windows that nobody would expect."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from itertools import product
from typing import Any

import numpy as np

from paramedic.diagnose import engine
from paramedic.diagnose.detector import Detector
from paramedic.types import Chart, Event, Finding, Layer, Severity, Task, Window
from paramedic.vocabulary import LAYER_STATISTICS, SCALARS
from tests.diagnose.windows import chart_of, window

LARGEST = float(np.finfo(np.float32).max)
_LOSSES = ("cross-entropy", "nll", "mse", "binary-cross-entropy", None)
_TASKS = (Task.MULTI_CLASS, Task.LANGUAGE_MODEL, Task.REGRESSION, Task.BINARY, Task.UNKNOWN)


def reason(detector: Detector, given: Window) -> str | None:
    """Why the detector could not judge the window."""
    return engine._unmeasured(detector, given) or detector.missing(given)


def judge(detector: Detector, given: Window) -> Finding | None:
    """What the engine would get from the detector, checked for what every finding must have."""
    why = reason(detector, given)
    assert why is None, f"it could not judge: {why}"
    found = detector.examine(given)
    if found is not None:
        _sound(found, detector)
    return found


def fires(detector: Detector, given: Window, severity: Severity) -> Finding:
    """The finding, which must be there and as severe."""
    found = judge(detector, given)
    assert found is not None, "it is silent"
    assert found.severity is severity
    return found


def bears_anything(detector: Detector) -> None:
    """Whatever is in a window, the detector neither raises nor warns, and tells no nonsense."""
    for given in _strange():
        if reason(detector, given) is None:
            found = detector.examine(given)
            if found is not None:
                _sound(found, detector)


@cache
def _strange() -> tuple[Window, ...]:
    return tuple(strange_windows())


def strange_windows() -> Iterator[Window]:
    """Empty, huge, negative, infinite and half-measured windows of nets with and without layers."""
    yield window()
    yield window(ended=True)
    yield window(losses=[1.0] * 50, ended=True)
    yield window(steps=3, losses=[None, np.nan, np.inf], skipped=[1, 1, 0], ended=True)
    numbers = (np.nan, np.inf, -np.inf, 0.0, -1.0, 1e-45, LARGEST, -LARGEST)
    places = enumerate(product(numbers, (1, 40), (0, 1, 4)))
    for place, (number, frames, width) in places:
        yield _filled(number, frames, width, place)
    for seed in range(12):
        yield _mixed(seed)


def _sound(found: Finding, detector: Detector) -> None:
    engine._check(found, detector)
    assert found.message.endswith(".")
    assert not re.search(r"\bnan\b", found.message), found.message
    assert found.evidence, "a finding without a number proves nothing"
    assert Finding.from_json(found.to_json()) == found or "nan" in str(found.evidence)


def _filled(number: float, frames: int, width: int, place: int) -> Window:
    return window(
        steps=frames,
        layers={name: np.full((frames, width), number) for name in LAYER_STATISTICS},
        scalars={name: np.full(frames, number) for name in (*SCALARS, "lr/0")},
        losses=np.full(80, number),
        epochs=[{"train_loss": number, "val_loss": number, "val_acc": number}] * 12,
        chart=_chart(width, place),
        events=[Event(0, "non-finite", "Step 0.", {})] if place % 2 else (),
        ended=bool(place % 3),
    )


def _mixed(seed: int) -> Window:
    """Every number drawn from the strangest ones."""
    random = np.random.default_rng(seed)
    numbers = [np.nan, np.inf, -np.inf, 0.0, 1.0, -1.0, 1e-45, LARGEST, -LARGEST]

    def draw(*shape: int) -> Any:
        return random.choice(numbers, shape)

    return window(
        steps=40,
        layers={name: draw(40, 5) for name in LAYER_STATISTICS},
        scalars={name: draw(40) for name in (*SCALARS, "lr/0")},
        losses=draw(100),
        epochs=[{"train_loss": draw(), "val_loss": draw(), "val_acc": draw()} for _ in range(12)],
        chart=_chart(5, seed),
        ended=bool(seed % 2),
    )


def _chart(width: int, place: int) -> Chart:
    kinds = ("Linear", "BatchNorm1d", "Dropout", "Conv2d", "Embedding")
    layers = [
        Layer(f"part.{at}", kinds[(at + place) % 5], 10 * at, fan_in=at) for at in range(width)
    ]
    return chart_of(
        *layers,
        loss=_LOSSES[place % 5],
        task=_TASKS[place % 5],
        output_function=("softmax", "relu", "linear")[place % 3],
        target_kind=("float", "integer")[place % 2],
        output_shape=(8, 1) if place % 2 else (),
        target_shape=(8,),
        optimizers=({"name": "SGD", "momentum": None},) if place % 2 else (),
    )
