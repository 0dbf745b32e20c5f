from __future__ import annotations

import math
from dataclasses import replace

import pytest

from paramedic.report.glyphs import ASCII, UNICODE
from paramedic.report.panel import duration, levels, panel, plain
from tests.report.pictures import FINDING, sick


def _lines(width: int = 99, heading: str = "", **changes: object) -> list[str]:
    status = sick(**changes)
    return [line.plain for line in panel(status, [0.9, 0.8, 0.7], width, UNICODE, heading)]


def test_what_is_shown() -> None:
    assert _lines() == [
        "paramedic step 100 of 400 · about 1 min 30 s left · epoch 0 (val_loss 0.7) · 30 s so far",
        "verdict   not learning · the loss is level",
        "loss      0.7        █▅▁",
        "gradient  ▁▅█ 1e-09 … 1e-02, first to last layer",
        "found     vanishing-gradient, step 66: The gradient of `0` is small.",
        "found     loss-plateau, step 99: The loss rests.",
        "watching  1.2 % of the time · 17 looks",
    ]
    assert _lines(heading="training of model")[0] == "paramedic training of model"


@pytest.mark.parametrize("width", [20, 39, 59, 60, 99, 250])
def test_no_line_is_wider_than_the_terminal(width: int) -> None:
    long = replace(FINDING, message="漢字 " * 200)
    flow = {f"layer.{place}": 10.0 ** (place % 7) for place in range(500)}
    status = sick(findings=(long,) * 9, flow=flow)
    curve = [math.sin(place) for place in range(256)]
    for glyphs in (UNICODE, ASCII):
        lines = panel(status, curve, width, glyphs)
        assert max(line.cell_len for line in lines) <= width
        assert len(lines) <= 10
        assert lines[-2].plain.endswith("and 6 more")
    assert all(line.plain.isascii() for line in panel(sick(), [1.0], width, ASCII))


def test_time_left_only_where_it_is_known() -> None:
    assert not any("left" in line for line in _lines(steps=None))
    assert not any("left" in line for line in _lines(steps=50))  # it goes on for longer than said
    assert not any("left" in line for line in _lines(step=-1))


def test_an_even_gradient_is_even_and_a_broken_one_is_marked() -> None:
    even = levels([-3.0, -3.2, -2.9])
    assert all(level is not None and 0.3 < level < 0.7 for level in even)
    assert levels([-8.0, -2.0, math.inf, math.nan, -math.inf]) == [0.0, 1.0, None, None, 0.0]
    (line,) = [line for line in _lines(flow={"0": math.inf, "1": 0.1}) if "gradient  " in line]
    assert line.startswith("gradient  ×")
    assert "nothing arrives" in "".join(_lines(flow={"0": 0.0}))


def test_hostile_text_stays_in_its_line() -> None:
    nasty = replace(FINDING, message="a\n\x1b[2Jb\r[red]c")
    (line,) = [line for line in _lines(findings=(nasty,)) if "found" in line]
    assert line.endswith("a \\x1b[2Jb\\r[red]c")
    assert "\n" not in plain(sick(findings=(nasty,)), UNICODE)


def test_a_plain_line() -> None:
    assert plain(sick(), UNICODE) == (
        "step 100 of 400 · about 1 min 30 s left · epoch 0 (val_loss 0.7) · 30 s so far · loss 0.7 "
        "· not learning · vanishing-gradient, loss-plateau · watching costs 1.2 % of the time"
    )
    assert plain(sick(), ASCII).isascii()


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(0.4, "0 s"), (59, "59 s"), (200, "3 min 20 s"), (7500, "2 h 05 min"), (273600, "3 d 4 h")],
)
def test_durations(seconds: float, words: str) -> None:
    assert duration(seconds) == words
