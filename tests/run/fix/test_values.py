from __future__ import annotations

from pathlib import Path

import libcst as cst
import pytest

from paramedic.run.fix.source import Source, called
from paramedic.run.fix.values import change


def _changed(folder: Path, text: str, *command: str) -> str:
    path = folder / "t.py"
    path.write_text(text)
    source = Source(path)
    (call,) = source.all(cst.Call, called("use"))
    found = change(source, call.args[0].value, "7", 0.5, command)
    if found.arguments is not None:
        return " ".join(found.arguments)
    assert found.old is not None
    assert found.new is not None
    return source.replaced((found.old, found.new))


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("use(-3)", "use(7)"),
        ("x = 3\nuse(x)", "x = 7\nuse(x)"),
        ("x: int = 3\nuse(x)", "x: int = 7\nuse(x)"),
        ("x = 3\nx = 4\nuse(x)", "x = 3\nx = 4\nuse(0.5 * x)"),
        ("x = 1\ndef f():\n    x = 3\n    use(x)", "x = 1\ndef f():\n    x = 7\n    use(x)"),
        ("def f(x=3):\n    use(x)\nf(x=4)", "def f(x=3):\n    use(x)\nf(x=7)"),
        ("c = dict(x=3)\nuse(c.x)", "c = dict(x=7)\nuse(c.x)"),
        ("self.x = 3\nuse(self.x)", "self.x = 7\nuse(self.x)"),
        ("use(f())", "use(0.5 * f())"),
        ("use(d[i])", "use(0.5 * d[i])"),
    ],
)
def test_the_root_of_a_value(text: str, wanted: str, tmp_path: Path) -> None:
    assert _changed(tmp_path, text) == wanted


def test_the_command_line_comes_first(tmp_path: Path) -> None:
    text = "p.add_argument('--x', default=3)\nuse(a.x)"
    assert _changed(tmp_path, text, "--x=2", "y") == "--x=7 y"
    assert _changed(tmp_path, text) == "p.add_argument('--x', default=7)\nuse(a.x)"
