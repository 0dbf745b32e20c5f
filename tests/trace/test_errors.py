from __future__ import annotations

import copy
from pathlib import Path

from paramedic.trace import TraceError


def test_the_message_names_the_file_and_the_problem() -> None:
    error = TraceError(Path("runs") / "a.db", "is empty.")
    assert str(error) == f"`{Path('runs') / 'a.db'}` is empty."
    assert error.problem == "is empty."


def test_it_can_be_copied_as_processes_do_when_they_report_an_error() -> None:
    error = TraceError("a.db", "is empty.")
    assert str(copy.copy(error)) == str(error)
