"""Sinks and displays: told what happens, kept within the budget, never in the way of the run."""

from __future__ import annotations

import logging
import random
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch import nn

import paramedic
from paramedic.diagnose.status import Status
from paramedic.diagnose.summary import Summary
from paramedic.probe import ranks
from paramedic.probe.audience import Audience, Pace, Sink
from paramedic.probe.guard import Guard
from paramedic.types import Chart, Epoch, Finding, Frame, Remedy
from tests.probe.recipes import mlp_adam


class Keeper:
    """A sink that remembers everything, and fails if it is told to."""

    def __init__(self, fails: str = "") -> None:
        self.fails = fails
        self.told: list[tuple[str, Any]] = []
        self.names: list[list[str]] = []

    def _tell(self, kind: str, what: Any) -> None:
        random.random(), np.random.rand(), torch.rand(1)  # libraries may
        if kind == self.fails:
            raise ConnectionError("the server is away")
        self.told.append((kind, what))

    def frame(self, frame: Frame, chart: Chart) -> None:
        self.names.append([layer.name for layer in chart.layers])
        self._tell("frame", frame)

    def epoch(self, epoch: Epoch) -> None:
        self._tell("epoch", epoch)

    def finding(self, finding: Finding, remedies: Sequence[Remedy]) -> None:
        self._tell("finding", (finding, remedies))

    def close(self, summary: Summary, trace: Path | None) -> None:
        self._tell("close", (summary, trace))

    def kinds(self) -> list[str]:
        return [kind for kind, _ in self.told]


class Watcher:
    """A display that remembers."""

    seconds = 0.0

    def __init__(self) -> None:
        self.seen: list[Status] = []
        self.last: tuple[Status, Sequence[Remedy], Path | None] | None = None

    def show(self, status: Status) -> None:
        self.seen.append(status)

    def close(self, status: Status, remedies: Sequence[Remedy], trace: Path | None) -> None:
        self.last = status, remedies, trace


def _train(count: int, /, **settings: Any) -> Any:
    model = nn.Sequential(nn.Linear(6, 8), nn.ReLU(), nn.Linear(8, 1))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    with paramedic.watch(model, optimizer, **settings) as monitor:
        for step in range(count):
            optimizer.zero_grad()
            x = torch.randn(8, 6)
            (model(x) - x.sum(1, keepdim=True)).pow(2).mean().backward()
            optimizer.step()
            if step % 10 == 9:
                monitor.epoch(val_loss=1.0 / (step + 1))
    return monitor


def test_a_sink_is_told_all_and_the_end_comes_last(tmp_path: Path) -> None:
    keeper = Keeper()
    monitor = _train(20, sinks=[keeper], overhead=None, trace=tmp_path / "run.db", strict=True)
    frames = [what for kind, what in keeper.told if kind == "frame"]
    assert [frame.step for frame in frames] == list(range(20))
    assert keeper.kinds().count("epoch") == 2
    summary, trace = keeper.told[-1][1]
    assert keeper.kinds()[-1] == "close"
    assert summary.step == 19
    assert trace == monitor.trace
    assert keeper.names[0] == ["0", "1", "2"]
    assert len(frames[0].layers["grad_norm"]) == 3


def test_findings_come_with_their_remedies() -> None:
    keeper = Keeper()
    model = nn.Linear(3, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    with paramedic.watch(model, optimizer, sinks=[keeper], overhead=None, strict=True):
        for _ in range(3):
            optimizer.zero_grad()
            model(torch.full((2, 3), float("nan"))).sum().backward()
            optimizer.step()
    found = [what for kind, what in keeper.told if kind == "finding"]
    assert "non-finite" in {finding.slug for finding, _ in found}
    assert any(remedies for _, remedies in found)


@pytest.mark.parametrize("kind", ["frame", "epoch", "close"])
def test_a_sink_that_fails_is_told_once_and_switched_off(
    kind: str, caplog: pytest.LogCaptureFixture
) -> None:
    bad, good = Keeper(fails=kind), Keeper()
    with caplog.at_level(logging.WARNING, "paramedic"):
        monitor = _train(30, sinks=[bad, good], overhead=None, rules=None)
    assert [record.getMessage() for record in caplog.records] == [
        "Paramedic switched off its part `sink 1, Keeper` after an internal error "
        "(ConnectionError: the server is away); training goes on."
    ]
    assert "the server is away" in monitor.not_checked["sink 1, Keeper"]
    assert good.kinds().count("frame") == 30
    assert good.kinds()[-1] == "close"
    assert kind not in bad.kinds()


def test_sinks_and_displays_change_nothing() -> None:
    def watched(model: Any, optimizer: Any) -> Any:
        return paramedic.watch(
            model, optimizer, sinks=[Keeper()], display=Watcher(), overhead=None, strict=True
        )

    from contextlib import nullcontext

    plain = mlp_adam(40, lambda model, optimizer: nullcontext())
    random.seed(1)
    np.random.seed(1)
    expected = random.getstate(), np.random.get_state()[1].tolist()
    seen = mlp_adam(40, watched)
    assert all(torch.equal(plain.weights[name], seen.weights[name]) for name in plain.weights)
    assert torch.equal(plain.random, seen.random)
    assert (random.getstate(), np.random.get_state()[1].tolist()) == expected


def test_a_display_is_shown_the_run_and_its_end() -> None:
    watcher = Watcher()
    _train(30, display=watcher, steps=30, overhead=None, strict=True)
    first = watcher.seen[0]
    assert (first.step, first.steps, len(first.pulse)) == (0, 30, 1)
    assert list(first.flow) == ["0", "2"]
    assert watcher.last is not None
    last, _, trace = watcher.last
    assert (last.step, last.looks, len(last.epochs), trace) == (29, 30, 3, None)
    assert last.overhead > 0
    assert len(watcher.seen) <= 3 + 4 * last.seconds


def test_the_pace_keeps_to_its_share() -> None:
    pace = Pace(0.01, shortest=0.25)
    assert pace.is_due(0.0)
    pace.took(1.0, 60.0)  # the first time opens things
    assert not pace.is_due(1.2)
    assert pace.is_due(1.25)
    pace.took(2.0, 0.02)
    assert not pace.is_due(3.9)
    assert pace.is_due(4.0)
    pace.took(5.0, 9.0)  # a busy machine: the cheapest of the last ones counts
    assert pace.is_due(7.0)
    unlimited = Pace(None)
    unlimited.took(0.0, 5.0)
    unlimited.took(0.0, 5.0)
    assert unlimited.is_due(0.0)


class Slow(Keeper):
    def frame(self, frame: Frame, chart: Chart) -> None:
        time.sleep(0.002)
        super().frame(frame, chart)


def test_a_slow_sink_is_told_less_often_but_of_the_last_frame() -> None:
    slow = Slow()
    monitor = _train(300, sinks=[slow], overhead=0.05, rules=None, strict=True)
    told = [what.step for kind, what in slow.told if kind == "frame"]
    assert told[:2] == [0, 1]
    assert len(told) < sum(monitor.spent["looks"].values())
    assert told[-1] == monitor.window().steps[-1]


class SlowToOpen(Keeper):
    def frame(self, frame: Frame, chart: Chart) -> None:
        if not self.told:
            time.sleep(0.3)
        super().frame(frame, chart)


def test_opening_is_told_apart_from_watching() -> None:
    begin = time.perf_counter()
    monitor = _train(300, sinks=[SlowToOpen()], rules=None, strict=True)
    total = time.perf_counter() - begin
    spent = monitor.spent
    assert 0.3 <= spent["once"] <= spent["seconds"]
    rest = spent["seconds"] - spent["once"]
    assert spent["share"] <= rest / (total - spent["seconds"]) * 1.5
    assert monitor.status().seconds <= time.perf_counter() - begin - 0.3


def test_only_the_first_rank_tells(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ranks, "rank", lambda: 1)
    assert not Audience([Keeper()], Watcher(), Guard(strict=True), 0.01, Status)


def test_what_cannot_be_told_is_refused_at_once() -> None:
    assert isinstance(Keeper(), Sink)
    for sinks, words in (([Keeper], "the class `Keeper`"), ([3], "`int`"), (Keeper(), "a list")):
        with pytest.raises(TypeError, match=words):
            _train(1, sinks=sinks)
    with pytest.raises(ValueError, match="`steps`"):
        _train(1, steps=0)
