from __future__ import annotations

import logging
import random
from contextlib import nullcontext
from typing import Any

import numpy as np
import pytest
import torch

import paramedic
from paramedic.probe.showing import chosen
from paramedic.report.display import Terminal
from tests.probe.recipes import mlp_adam
from tests.report.screen import Screen, on_terminal


def test_what_display_means(monkeypatch: pytest.MonkeyPatch) -> None:
    assert chosen(False) is None
    assert isinstance(chosen(True), Terminal)
    mine = Terminal()
    assert chosen(mine) is mine
    with pytest.raises(TypeError, match="must be True, False or something with the methods"):
        chosen("yes")  # type: ignore[arg-type]
    monkeypatch.setenv("PARAMEDIC", "off")
    assert chosen(True) is None


def test_a_panel_changes_nothing_but_the_screen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.setenv("LINES", "40")
    plain = mlp_adam(60, lambda model, optimizer: nullcontext())
    random.seed(1)
    np.random.seed(1)
    before = random.getstate(), np.random.get_state()[1].tolist()

    def watched(model: Any, optimizer: Any) -> Any:
        return paramedic.watch(model, optimizer, display=True, steps=60, strict=True)

    screen = Screen(100, 40)
    with on_terminal(screen) as terminal:
        seen = mlp_adam(60, watched)
        assert "write" not in vars(terminal)
    assert all(torch.equal(plain.weights[name], seen.weights[name]) for name in plain.weights)
    assert torch.equal(plain.random, seen.random)
    assert (random.getstate(), np.random.get_state()[1].tolist()) == before
    assert "of 60" in terminal.raw
    assert any(line.startswith("paramedic: learning after 60 steps") for line in screen.lines)


def test_an_error_in_the_display_does_not_hurt_the_run(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fails(self: Terminal, status: Any) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(Terminal, "show", fails)
    plain = mlp_adam(20, lambda model, optimizer: nullcontext())
    with caplog.at_level(logging.WARNING, "paramedic"):
        seen = mlp_adam(
            20, lambda model, optimizer: paramedic.watch(model, optimizer, display=True)
        )
    assert all(torch.equal(plain.weights[name], seen.weights[name]) for name in plain.weights)
    assert [record.getMessage() for record in caplog.records] == [
        "Paramedic switched off its part `display` after an internal error (ZeroDivisionError: ); "
        "training goes on."
    ]
