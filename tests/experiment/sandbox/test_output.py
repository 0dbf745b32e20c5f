from __future__ import annotations

from paramedic.experiment.sandbox.output import Tail


def test_the_end_is_kept() -> None:
    tail = Tail(10)
    for part in (b"abc", b"defghi", b"jk", b"lmn"):
        tail.add(part)
    assert tail.text() == "efghijklmn"
    tail.add(b"x" * 100 + b"end")
    assert tail.text() == "xxxxxxxend"
    assert Tail().text() == ""
