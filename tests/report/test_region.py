"""What a person sees when a program and a region write to the same terminal."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from paramedic.report import region as module
from paramedic.report.region import Region, is_terminal, region_of
from tests.report.screen import Screen, on_terminal


@pytest.fixture(autouse=True)
def _a_small_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "40")
    monkeypatch.setenv("LINES", "12")
    monkeypatch.setattr(module, "_SOON", 0.0)


@contextmanager
def _shared() -> Iterator[tuple[Screen, Region]]:
    """A terminal, and a region that is open on it."""
    with on_terminal(Screen(40, 12)) as terminal:
        region = Region()
        region.open()
        yield terminal.screen, region
        if vars(terminal).get("write"):
            region.close()


def _say(text: str) -> None:
    sys.stdout.write(f"{text}\n")


def test_lines_stand_under_what_is_printed() -> None:
    with _shared() as (screen, region):
        _say("before")
        region.draw(["ONE", "TWO"])
        assert screen.lines == ["before", "", "", "ONE", "TWO"]
        _say("after")
        assert screen.lines == ["before", "after", "", "", "ONE", "TWO"]
        region.draw(["THREE"])
        assert screen.lines == ["before", "after", "", "", "THREE"]
        region.close()
        assert screen.lines == ["before", "after"]
        assert screen.cursor == (2, 0)


def test_a_program_that_scrolls_keeps_every_line_whole() -> None:
    with _shared() as (screen, region):
        region.draw(["ONE", "TWO"])
        printed = [f"line {number}:{'x' * (number % 50)}" for number in range(60)]
        for line in printed:
            _say(line)
            region.draw(["ONE", "TWO"])
        region.close()
        folded = [part for line in printed for part in (line[:40], line[40:]) if part]
        assert screen.lines == folded


def test_half_written_lines_and_progress_bars_are_left_alone() -> None:
    with _shared() as (screen, region):
        for number in range(5):
            sys.stdout.write(".")
            region.draw([f"PANEL {number}"])
        assert screen.lines == [".....", "", "PANEL 4"]
        for share in range(0, 101, 10):
            sys.stderr.write(f"\r{share:3d} %|{'#' * (share // 10)}")
            region.draw(["PANEL"])
        assert screen.lines == ["100 %|##########", "", "PANEL"]
        _say(" done")
        assert screen.lines[0] == "100 %|########## done"
        region.close()
        assert screen.lines == ["100 %|########## done"]


def test_real_bars_of_tqdm_one_in_another() -> None:
    with _shared() as (screen, region):
        tqdm = pytest.importorskip("tqdm")
        options: dict[str, Any] = {"mininterval": 0, "ncols": 30, "ascii": True, "file": sys.stderr}
        for epoch in tqdm.tqdm(range(3), position=0, desc="epochs", **options):
            for _ in tqdm.tqdm(range(4), position=1, leave=False, desc="steps", **options):
                region.draw(["ONE", "TWO"])
            tqdm.tqdm.write(f"epoch {epoch}", file=sys.stderr)
        region.close()
        assert screen.lines[:3] == ["epoch 0", "epoch 1", "epoch 2"]
        assert screen.lines[3].startswith("epochs: 100%")
        assert not any("ONE" in line or "steps" in line for line in screen.lines)


def test_what_a_user_types_is_safe() -> None:
    with _shared() as (screen, region):
        region.draw(["ONE", "TWO"])
        screen.feed("y\n")  # echoed by the terminal, past all streams
        _say("answer")
        region.close()
        assert screen.lines == ["y", "answer"]


def test_text_that_wraps_does_not_run_into_the_lines() -> None:
    with _shared() as (screen, region):
        region.draw(["ONE"])
        sys.stdout.write("a" * 30)
        sys.stdout.write("b" * 30)
        assert screen.lines == ["a" * 30 + "b" * 10, "b" * 20, "", "ONE"]


def test_the_streams_are_left_as_they_were() -> None:
    with on_terminal(Screen(40, 12)):
        made = Region()
        made.open()
        assert "write" in vars(sys.stderr)
        made.open()  # a second one who draws
        made.close()
        assert "write" in vars(sys.stderr)
        made.close()
        assert "write" not in vars(sys.stderr)


def test_a_forked_child_does_not_draw(monkeypatch: pytest.MonkeyPatch) -> None:
    with _shared() as (screen, region):
        region.draw(["ONE"])
        drawn = list(screen.lines)
        monkeypatch.setattr(os, "getpid", lambda: -1)
        sys.stdout.write("child")
        region.close()
        monkeypatch.undo()
        assert screen.lines[0] == "child"
        assert screen.lines[1:] == drawn[1:]


def test_what_is_spent_around_the_program_s_prints_is_counted() -> None:
    with _shared() as (_, region):
        region.draw(["ONE"])
        assert region.seconds == 0.0
        _say("text")
        assert region.seconds > 0.0


def test_terminals(monkeypatch: pytest.MonkeyPatch) -> None:
    with on_terminal(Screen(40, 12)):
        assert is_terminal(sys.stderr)
        assert region_of(sys.stderr) is region_of(sys.stderr)
        assert Region().size() == (40, 12)
        monkeypatch.setenv("TERM", "dumb")
        assert not is_terminal(sys.stderr)
        closed = io.StringIO()
        closed.close()
        assert not is_terminal(closed)
