from __future__ import annotations

from pathlib import Path

import libcst as cst
import pytest

from paramedic.run.fix.source import Source, argument, called, expression, last_name, number

TEXT = """# a comment
for x in range(3):  # a loop

    # before
    f(g(x),   1.5)  # after
"""


@pytest.fixture
def source(tmp_path: Path) -> Source:
    path = tmp_path / "t.py"
    path.write_text(TEXT)
    return Source(path)


def test_finding(source: Source) -> None:
    call = source.at(5, cst.Call, called("g"))
    assert call is not None
    assert source.code(call) == "g(x)"
    assert [last_name(one.func) for one in source.all_at(5, cst.Call)] == ["f", "g"]
    assert isinstance(source.statement(call), cst.SimpleStatementLine)
    assert any(isinstance(one, cst.For) for one in source.around(call))


def test_nothing_else_changes(source: Source) -> None:
    call = source.at(5, cst.Call, called("g"))
    assert call is not None
    assert source.replaced((call, expression("h"))) == TEXT.replace("g(x)", "h")
    assert source.inserted(call, "new()") == TEXT.replace("    f(g", "    new()\n    f(g")
    assert source.inserted(call, "new()", after=True) == TEXT + "    new()\n"


def test_pieces() -> None:
    call = expression("a.b(1, -2.5, key=x)")
    assert isinstance(call, cst.Call)
    assert last_name(call.func) == "b"
    second = argument(call, "other", 1)
    assert second is not None
    assert number(second.value) == -2.5
    assert argument(call, "key") is not None
    assert argument(call, "none", 2) is None
    assert number(expression("x")) is None


def test_marks_and_ends_of_lines_stay(tmp_path: Path) -> None:
    path = tmp_path / "train.py"
    path.write_bytes(b"\xef\xbb\xbflr = 1e-5\r\nfor i in []:\r\n    pass\r\n")
    source = Source(path)
    (rate,) = source.all(cst.Float)
    text = source.replaced((rate, cst.Float("0.1")))
    assert text.encode() == path.read_bytes().replace(b"1e-5", b"0.1")
    (loop,) = source.all(cst.Pass)
    assert "\r\n    x = 1\r\n    pass\r\n" in source.inserted(loop, "x = 1")
