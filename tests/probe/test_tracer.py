"""How often origins are traced."""

from __future__ import annotations

import pytest
import torch
from torch import nn

from paramedic.probe.cycle import Cycle
from paramedic.probe.guard import Guard
from paramedic.probe.layers import Layers
from paramedic.probe.origin import Origin
from paramedic.probe.tracer import Tracer


def _tracer(on_nan: str) -> tuple[Tracer, nn.Module]:
    model = nn.Linear(3, 1)
    return Tracer(Layers({"": model}, ()), on_nan, Guard(strict=True)), model


def test_once_in_a_row_and_not_for_ever() -> None:
    tracer, _ = _tracer("trace")
    for _ in range(20):
        assert tracer.active
        tracer.settle(Cycle(None, origin=Origin("loss", "", "seen")))
        assert not tracer.active  # what follows follows from it
        tracer.settle(Cycle(None))
    assert not tracer.active


@pytest.mark.parametrize("on_nan", ["off", "trace"])
def test_off(on_nan: str) -> None:
    tracer, _ = _tracer(on_nan)
    assert tracer.active == (on_nan != "off")
    tracer.settle(Cycle(None))
    assert tracer.active == (on_nan != "off")


def test_a_bad_gradient() -> None:
    tracer, model = _tracer("trace")
    (model(torch.ones(2, 3)).sum() * torch.inf).backward()
    cycle = Cycle(None)
    tracer.of_gradients(cycle, model.bias)
    assert cycle.origin is not None
    assert cycle.origin.kind == "gradient"
