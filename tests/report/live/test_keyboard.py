"""Enter in the terminal of a server; `tests/cli/test_live.py` presses it in a real one."""

from __future__ import annotations

import asyncio
import io
import os
import sys

import pytest

from paramedic.report.live import keyboard
from paramedic.report.live.keyboard import has_terminal, on_enter

pytestmark = pytest.mark.skipif(os.name != "posix", reason="needs a terminal of POSIX")


def test_without_a_terminal_nobody_is_listened_to(monkeypatch: pytest.MonkeyPatch) -> None:
    for nothing in (None, io.StringIO("\n")):
        monkeypatch.setattr(sys, "stdin", nothing)
        assert not has_terminal()
        on_enter(lambda: pytest.fail("nothing was typed"))


def test_a_line_for_another_program_is_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """In the background: this terminal does not control this process."""
    import pty

    keys, terminal = pty.openpty()
    told: list[str] = []
    monkeypatch.setattr(keyboard, "_AGAIN", 0.05)
    with os.fdopen(terminal, "r") as stdin:
        monkeypatch.setattr(sys, "stdin", stdin)
        assert has_terminal()

        async def scene() -> None:
            on_enter(lambda: told.append("typed"))
            os.write(keys, b"\n")
            await asyncio.sleep(0.2)
            assert told == []
            monkeypatch.setattr(keyboard, "_is_ours", lambda terminal: True)
            await asyncio.sleep(0.2)
            assert told == ["typed"]
            os.close(keys)  # the terminal is gone
            await asyncio.sleep(0.1)

        asyncio.run(scene())
    assert told == ["typed"]
