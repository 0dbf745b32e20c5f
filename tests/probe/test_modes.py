"""The mode of each step is known, however rarely we look."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch
from torch import nn

import paramedic
from paramedic.diagnose.modes import STEPS
from paramedic.probe.layers import Layers
from paramedic.probe.modes import Modes
from paramedic.types import Event

SETTINGS = [None, 1e-6]  # look at every step; at the first five only


def _net() -> nn.Sequential:
    return nn.Sequential(nn.Linear(4, 8), nn.BatchNorm1d(8), nn.Dropout(0.5), nn.Linear(8, 2))


def _modes(model: nn.Module) -> Modes:
    return Modes(Layers({"": model}, ()))


def _train(
    steps: int, before: Callable[[int, nn.Module], object], overhead: float | None
) -> tuple[list[Event], list[str]]:
    model = _net()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    with paramedic.watch(model, optimizer, overhead=overhead, strict=True) as monitor:
        for step in range(steps):
            before(step, model)
            optimizer.zero_grad()
            model(torch.randn(16, 4)).square().mean().backward()
            optimizer.step()
    events = [event for event in monitor.window().events if event.kind == "mode"]
    return events, [finding.slug for finding in monitor.findings]


@pytest.mark.parametrize("overhead", SETTINGS)
def test_two_epochs_in_evaluation_mode(overhead: float | None) -> None:
    """Found although no step of them was looked at, and although they are over at the end."""

    def before(step: int, model: nn.Module) -> None:
        if step in (40, 60):
            model.train(step == 60)

    events, slugs = _train(100, before, overhead)
    assert [event.data["since"] for event in events] == [40, 60]
    assert [event.data["evaluating"] for event in events] == [["1", "2"], []]
    assert "wrong-mode" in slugs


@pytest.mark.parametrize("overhead", SETTINGS)
def test_a_sound_run_has_no_event(overhead: float | None) -> None:
    def validate(step: int, model: nn.Module) -> None:
        if step % 10 == 0:
            model.eval()
            with torch.no_grad():
                model(torch.randn(8, 4))
            model.train()

    events, slugs = _train(60, validate, overhead)
    assert events == []
    assert "wrong-mode" not in slugs


def test_a_mode_that_does_not_last_is_not_noticed() -> None:
    model = _net()
    modes = _modes(model)
    for step in range(20):
        model.train(step % 2 == 0)
        assert not modes.notices(step)


def test_a_mode_that_lasts_is_noticed_once() -> None:
    model = _net()
    modes = _modes(model)
    model[2].eval()
    assert [modes.notices(step) for step in range(STEPS)] == [False] * (STEPS - 1) + [True]
    event = modes.event(STEPS - 1)
    assert event is not None
    assert event.message == "Since step 0 training goes on with `2` in evaluation mode."
    assert not modes.notices(STEPS)
    modes.refresh()
    assert not any(modes.notices(step) for step in range(STEPS, 30))


def test_the_same_mode_again_is_no_news() -> None:
    model = _net()
    modes = _modes(model)
    model[2].train(False)
    modes.notices(0)
    model[2].train(True)
    modes.notices(1)
    assert modes.notices(10)
    assert modes.event(10) is None


def test_nothing_to_read() -> None:
    model = nn.Sequential(nn.Linear(2, 2))
    modes = _modes(model.eval())
    assert not any(modes.notices(step) for step in range(10))
