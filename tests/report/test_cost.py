from __future__ import annotations

import io

import pytest
from rich.console import Console

from paramedic.report.cost import brief, cost
from paramedic.report.run import told
from paramedic.run.outcome import Outcome, Record


@pytest.mark.parametrize(
    ("share", "seconds", "words"),
    [
        (28.44, 0.14, "0.1 s"),  # the first looks of a run of five milliseconds
        (0.3, 0.9, "0.9 s"),  # of three seconds
        (0.01, 1.5, "1.5 s, 1.0 % of the time of the training"),
        (0.008, 100.0, "1.7 min, 0.8 % of the time of the training"),
        (0.01, 7200.0, "2.0 h, 1.0 % of the time of the training"),
        (0.012, None, "1.2 % of the time of the training"),
        (None, 2.0, "2.0 s"),
        (28.44, None, ""),
    ],
)
def test_a_share_only_where_it_means_something(
    share: float | None, seconds: float | None, words: str
) -> None:
    assert cost(share, seconds) == words


@pytest.mark.parametrize(
    ("share", "elapsed", "words"),
    [
        (0.012, 60.0, "1.2 % of the time"),
        (0.012, 5.0, "0.1 s"),
        (28.44, 0.15, "0.1 s"),
        (0.0, 60.0, "0.0 % of the time"),
    ],
)
def test_in_few_words(share: float, elapsed: float, words: str) -> None:
    assert brief(share, elapsed) == words


def test_the_report_of_a_short_program() -> None:
    record = Record("net", steps=60, frames=60, spent={"share": 28.44, "seconds": 0.14})
    file = io.StringIO()
    Console(file=file, width=200).print(told(Outcome("train.py", (record,))))
    text = file.getvalue()
    assert "Watching took 0.1 s." in text
    assert "%" not in text
