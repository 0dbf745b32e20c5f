from __future__ import annotations

import math

from paramedic.report.glyphs import ASCII, UNICODE, fitting, grouped, sparkline


def test_a_sparkline_rises_with_its_values() -> None:
    assert sparkline([0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0], UNICODE) == "▁▂▃▄▅▆▇█"
    assert sparkline([1.0, 1.0], UNICODE) == "▁▁"
    assert sparkline([0.0, math.nan, 1.0, math.inf], UNICODE) == "▁×█×"
    assert sparkline([], UNICODE) == ""


def test_groups_are_even_and_keep_what_is_not_finite() -> None:
    assert grouped([1.0, 2.0], 5) == [1.0, 2.0]
    assert grouped([1.0, 3.0, 5.0, 7.0], 2) == [2.0, 6.0]
    assert math.isnan(grouped([1.0, math.nan, 5.0, 7.0], 2)[0])
    assert len(grouped([0.0] * 1001, 60)) == 60


def test_a_terminal_gets_the_signs_it_can_show() -> None:
    assert fitting("utf-8") is UNICODE
    assert fitting("ascii") is fitting(None) is fitting("no-such-encoding") is ASCII
    assert ASCII.text("a · b → c … ─") == "a | b -> c ~ -"
    assert "".join(getattr(ASCII, name) for name in ("bars", "broken", "dot")).isascii()
