from __future__ import annotations

from paramedic.treat.surgery.operation import told


def test_an_error_is_told_in_one_line() -> None:
    assert told(ValueError("first.\nsecond")) == "ValueError: first"
    assert told(KeyError()) == "KeyError: no message"
