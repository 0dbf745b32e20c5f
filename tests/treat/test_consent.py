"""Who is asked, and what an answer means."""

from __future__ import annotations

import logging
import sys
from typing import Any

import pytest

from paramedic.treat.agreement import Agreement
from paramedic.treat.consent import Answer, Consent
from paramedic.treat.orders import remedy


def _ask(mode: str, on_remedy: Any = None) -> Answer:
    return Consent(mode, on_remedy, Agreement()).asked(remedy("skip-step"))


def test_auto_asks_nobody() -> None:
    assert _ask("auto") is Answer.YES


def test_a_callback_is_asked() -> None:
    asked = []

    def answer(one: Any) -> bool:
        asked.append(one.action)
        return len(asked) > 1

    assert _ask("ask", answer) is Answer.NO
    assert _ask("ask", answer) is Answer.YES
    assert asked == ["skip-step", "skip-step"]


def test_a_callback_that_fails_says_no(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING, "paramedic"):
        assert _ask("ask", lambda one: 1 / 0) is Answer.NO
    assert "`on_remedy` failed" in caplog.text


def test_nobody_at_the_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.stdin, "isatty", lambda: False, raising=False)
    assert _ask("ask") is Answer.NOBODY


@pytest.mark.parametrize(
    ("said", "answer"),
    [("y", Answer.YES), (" Yes ", Answer.YES), ("", Answer.NO), ("n", Answer.NO)],
)
def test_somebody_at_the_terminal(
    said: str, answer: Answer, monkeypatch: pytest.MonkeyPatch
) -> None:
    questions = []

    def read(question: str) -> str:
        questions.append(question)
        return said

    for stream in (sys.stdin, sys.stdout):
        monkeypatch.setattr(stream, "isatty", lambda: True, raising=False)
    monkeypatch.setattr("builtins.input", read)
    assert _ask("ask") is answer
    assert questions == ["paramedic: Do not apply this step? [y/N] "]


def test_the_terminal_is_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    def closed(question: str) -> str:
        raise EOFError

    for stream in (sys.stdin, sys.stdout):
        monkeypatch.setattr(stream, "isatty", lambda: True, raising=False)
    monkeypatch.setattr("builtins.input", closed)
    assert _ask("ask") is Answer.NOBODY
