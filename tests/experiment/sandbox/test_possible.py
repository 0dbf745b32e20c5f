from __future__ import annotations

import sys

import pytest

from paramedic.experiment.sandbox import possible
from paramedic.experiment.sandbox.possible import FORCED, How, best, why_no_namespaces


def test_the_best_there_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(FORCED, raising=False)
    monkeypatch.setattr(possible, "why_no_namespaces", lambda: "")
    assert best() is How.NAMESPACES
    monkeypatch.setattr(possible, "why_no_namespaces", lambda: "forbidden")
    monkeypatch.setattr(possible, "_has_landlock", lambda: True)
    assert best() is How.LANDLOCK
    monkeypatch.setattr(possible, "_has_landlock", lambda: False)
    assert best() is How.GUARD


def test_another_one_if_it_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(FORCED, "guard")
    assert best() is How.GUARD


@pytest.mark.skipif(sys.platform != "linux", reason="namespaces of Linux")
def test_it_is_told_why_not(monkeypatch: pytest.MonkeyPatch) -> None:
    from paramedic.experiment.sandbox import namespaces

    def refuse(disk: int, written: object) -> None:
        raise PermissionError(1, "Operation not permitted", "unshare")

    monkeypatch.setattr(namespaces, "enter", refuse)
    told = why_no_namespaces.__wrapped__()
    assert told == "[Errno 1] Operation not permitted: 'unshare'"


@pytest.mark.skipif(sys.platform != "linux", reason="namespaces of Linux")
def test_no_second_program_gets_away(monkeypatch: pytest.MonkeyPatch) -> None:
    """An error that nobody thought of ends the process that tries, not the test in it."""
    from paramedic.experiment.sandbox import namespaces

    def fail(disk: int, written: object) -> None:
        raise SyntaxError("unexpected")

    monkeypatch.setattr(namespaces, "enter", fail)
    assert why_no_namespaces.__wrapped__() == "the attempt ended without a word"
