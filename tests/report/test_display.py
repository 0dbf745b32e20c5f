from __future__ import annotations

import contextlib
import io
import logging
import math
import sys
from pathlib import Path

import pytest

from paramedic.report import display
from paramedic.report.display import Terminal, Trail
from tests.report.pictures import REMEDY, pulse, sick
from tests.report.screen import Screen, on_terminal


@pytest.fixture(autouse=True)
def _terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm-256color")
    for name in ("NO_COLOR", "COLUMNS", "LINES", "COLORTERM", "FORCE_COLOR"):
        monkeypatch.delenv(name, raising=False)


def _size(monkeypatch: pytest.MonkeyPatch, columns: int, lines: int) -> Screen:
    monkeypatch.setenv("COLUMNS", str(columns))
    monkeypatch.setenv("LINES", str(lines))
    return Screen(columns, lines)


@pytest.mark.parametrize("columns", [100, 40])
def test_a_panel_and_the_summary_that_stays(columns: int, monkeypatch: pytest.MonkeyPatch) -> None:
    screen = _size(monkeypatch, columns, 24)
    with on_terminal(screen) as terminal:
        shown = Terminal()
        shown.show(sick())
        panel = screen.lines
        sys.stdout.write("text of the program\n")
        shown.close(sick(), [REMEDY], Path("run.db"))
    assert any("step 100 of 400" in line for line in panel)
    assert any("vanishing-gradient" in line for line in panel)
    assert all(len(line) < columns for line in (*panel, *screen.lines))
    assert screen.lines[0] == "text of the program"
    assert "paramedic: not learning" in screen.lines[2]
    assert not any("so far" in line for line in screen.lines)
    assert len(screen.lines) < 24
    assert "\x1b[1;31mnot learning\x1b[0m · the loss" in terminal.raw


def test_no_color_means_no_colour(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    with on_terminal(_size(monkeypatch, 80, 24)) as terminal:
        shown = Terminal()
        shown.show(sick())
        shown.close(sick(), [], None)
    assert "\x1b[3" not in terminal.raw.replace("\x1b[3A", "")
    assert "31m" not in terminal.raw
    assert "\x1b[1m" in terminal.raw  # bold is no colour


def test_a_dumb_terminal_and_a_pipe_get_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "dumb")
    clock = iter((0.0, 1.0, 2.0, 3.0, 5.1))
    monkeypatch.setattr(display, "monotonic", lambda: next(clock))
    with on_terminal(Screen(80, 24)) as terminal:
        shown = Terminal()
        for _ in range(5):
            shown.show(sick())
    assert "\x1b" not in terminal.raw
    assert terminal.raw.count("paramedic: step 100 of 400") == 2  # after 2 s, and 3 s later
    pipe = io.TextIOWrapper(io.BytesIO(), encoding="ascii", write_through=True)
    with contextlib.redirect_stderr(pipe):
        shown = Terminal()
        shown.close(sick(), [REMEDY], None)
    told = pipe.buffer.getvalue().decode()  # type: ignore[attr-defined]
    assert "paramedic: not learning after 100 steps in 30 s | the loss is level" in told
    assert "\x1b" not in told


def test_without_a_summary_nothing_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = _size(monkeypatch, 80, 24)
    with on_terminal(screen):
        shown = Terminal(heading="training of model", summary=False)
        shown.show(sick())
        assert any(line == "paramedic training of model" for line in screen.lines)
        shown.close(sick(), [], None)
    assert screen.lines == []


def test_a_terminal_without_room_is_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = _size(monkeypatch, 80, 5)
    with on_terminal(screen):
        shown = Terminal(summary=False)
        shown.show(sick())
        assert screen.lines == []
        shown.clear()
    screen = _size(monkeypatch, 80, 8)
    with on_terminal(screen):
        shown = Terminal(summary=False)
        shown.show(sick())
        assert len(screen.lines) <= 8
        shown.clear()


def test_an_error_leaves_the_terminal_as_it_was(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = _size(monkeypatch, 80, 24)
    with on_terminal(screen) as terminal:
        shown = Terminal()
        shown.show(sick())
        with pytest.raises(TypeError):
            shown.show(sick(flow={"0": "not a number"}))
        assert screen.lines == []
        assert "write" not in vars(terminal)


def test_what_is_logged_does_not_break_into_progress_bars(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    tqdm = pytest.importorskip("tqdm")
    logger = logging.getLogger("paramedic")
    monkeypatch.setattr(logger, "propagate", False)  # pytest listens at the root
    screen = _size(monkeypatch, 60, 24)
    with on_terminal(screen):
        shown = Terminal(summary=False)
        for place in tqdm.tqdm(range(3), mininterval=0, ncols=40, ascii=True, file=sys.stderr):
            shown.show(sick())
            if place == 1:
                logger.warning("found: something")
        sys.stdout.write("half a line")
        logger.warning("found: more")
        shown.clear()
    assert screen.lines[0] == "paramedic: found: something"
    assert screen.lines[1].startswith("100%|")
    assert screen.lines[2:] == ["half a line", "paramedic: found: more"]
    assert not logger.handlers


def test_two_runs_share_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = _size(monkeypatch, 80, 24)
    with on_terminal(screen) as terminal:
        one, two = Terminal(heading="one", summary=False), Terminal(heading="two", summary=False)
        one.show(sick())
        two.show(sick())
        assert [line for line in screen.lines if line.startswith("paramedic")] == ["paramedic two"]
        two.clear()
        one.show(sick())
        assert [line for line in screen.lines if line.startswith("paramedic")] == ["paramedic one"]
        one.clear()
        assert "write" not in vars(terminal)
    assert screen.lines == []


def test_the_trail_is_the_whole_run_in_few_points() -> None:
    trail = Trail()
    for first in range(0, 100_000, 1000):
        trail.follow(pulse([float(first)] * 1000, first))
        trail.follow(pulse([float(first)] * 1000, first))  # nothing new
    assert 128 <= len(trail.points) <= 256
    assert trail.points == sorted(trail.points)
    assert trail.points[0] == 0.0
    assert trail.points[-1] > 98_000


def test_the_trail_marks_what_is_not_finite() -> None:
    trail = Trail()
    trail.follow(pulse([1.0, math.inf, 2.0]))
    assert trail.points == [1.0, math.inf, 2.0]
