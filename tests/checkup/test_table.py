from __future__ import annotations

from paramedic.checkup.table import table

ROWS = [("passed", "short", "One."), ("failed", "a-longer-name", "Many words " * 12)]


def test_the_last_column_is_wrapped_and_aligned() -> None:
    lines = table(ROWS, 80).splitlines()
    assert all(len(line) <= 80 for line in lines)
    assert len(lines) > 3
    assert {line.index("Many") for line in lines[1:2]} == {lines[0].index("One.")}
    assert all(line.startswith(" " * lines[0].index("One.")) for line in lines[2:])


def test_in_a_narrow_terminal_the_words_go_below() -> None:
    lines = table(ROWS, 45).splitlines()
    assert lines[0] == "passed  short"
    assert lines[1] == "    One."
    assert all(len(line) <= 45 for line in lines)


def test_no_rows() -> None:
    assert table([], 80) == ""
