"""How a run stands, by its trace."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from paramedic.report.live import standing
from paramedic.report.live.standing import Standing
from paramedic.trace import Trace, TraceError, Writer
from tests.report.live.traces import append, chart, finding, recorded


def noted(path: Path, **meta: Any) -> Standing:
    writer = Writer(path)
    writer.chart(chart())
    append(writer, 0, 10)
    for key, value in meta.items():
        writer.meta(key, value)
    writer.close()
    with Trace.open(path) as trace:
        return standing.read(trace)


def test_a_run_that_has_noted_nothing(tmp_path: Path) -> None:
    assert noted(tmp_path / "a.db") == Standing()


def test_what_was_noted_on_the_way(tmp_path: Path) -> None:
    recorded(tmp_path / "a.db", ended=False)
    with Trace.open(tmp_path / "a.db") as trace:
        found = standing.read(trace)
    assert (found.verdict, found.root, found.ended) == (
        "not learning", "vanishing-gradient", False,
    )  # fmt: skip
    assert (found.tone, found.trend) == ("critical", "the loss is level")
    assert found.told["assessment"]["verdict"] == "not learning"
    assert found.told["diagnosis"]["root"]["code"] == "G001"


def test_what_was_noted_at_the_end(tmp_path: Path) -> None:
    recorded(tmp_path / "a.db")
    with Trace.open(tmp_path / "a.db") as trace:
        found = standing.read(trace)
    assert (found.verdict, found.tone, found.ended) == ("not learning", "critical", True)
    assert found.told["assessment"]["verdict"] == "not learning"
    assert found.told["cases"][0]["opened"] == 25


def test_a_trace_of_before_there_were_notes(tmp_path: Path) -> None:
    told = {"health": "warning", "root": finding(), "others": [], "consequences": []}
    found = noted(tmp_path / "a.db", diagnosis=told)
    assert (found.verdict, found.tone) == ("", "unknown"), "there were no verdicts yet"
    assert (found.root, found.ended) == ("vanishing-gradient", True)
    given = {"verdict": "diverged", "reason": "", "numbers": {}}
    found = noted(tmp_path / "b.db", diagnosis=told, assessment=given)
    assert (found.verdict, found.tone, found.ended) == ("diverged", "critical", True)


@pytest.mark.parametrize(
    ("verdict", "fault", "tone"),
    [
        ("learning", False, "healthy"),
        ("learning", True, "warning"),
        ("too early to say", False, "unjudged"),
        ("cannot tell", True, "warning"),
        ("not learning", False, "critical"),
        ("diverged", True, "critical"),
        ("sick", True, "unknown"),
    ],
)
def test_tones(tmp_path: Path, verdict: str, fault: bool, tone: str) -> None:
    found = noted(tmp_path / "a.db", standing={"verdict": verdict, "fault": fault})
    assert found.tone == tone


@pytest.mark.parametrize("nonsense", [3, "x", [1], True])
def test_nonsense_is_damage(tmp_path: Path, nonsense: object) -> None:
    with pytest.raises(TraceError, match="how the run stands"):
        noted(tmp_path / "a.db", standing=nonsense)


def test_words_that_are_none_are_left_out(tmp_path: Path) -> None:
    found = noted(
        tmp_path / "a.db", standing={"verdict": {"a": 1}, "root": 3, "ended": "yes", "fault": "x"}
    )
    assert (found.verdict, found.root, found.ended) == ("", "", True)
    assert (found.tone, found.fault) == ("unknown", False)
    assert noted(tmp_path / "b.db", diagnosis=[1]).ended
    found = noted(tmp_path / "c.db", diagnosis={"root": "y"}, assessment={"verdict": ["x"]})
    assert (found.verdict, found.tone) == ("", "unknown")
    assert noted(tmp_path / "d.db", diagnosis={"root": "y"}, assessment=[1]).verdict == ""


def test_the_state_follows_from_the_note_and_the_clock() -> None:
    assert standing.state(Standing(), 1.0) == "running"
    assert standing.state(Standing(), 100.0) == "silent"
    assert standing.state(Standing(ended=True), 1e6) == "ended"


def test_every_state_has_its_words() -> None:
    trend = "the loss is falling (2 → 1 over the last 90 steps)"
    assert standing.words("running", 1, trend=trend) == f"Running; {trend}."
    assert standing.words("ended", 1, trend=trend).startswith("Ended; the loss was falling (2")
    assert standing.words("silent", 150).startswith("No news for 2 minutes, and the trace was not")
    assert standing.words("damaged", 1, problem="is empty.") == "The trace is empty."
    for state in ("empty", "gone", "unread", "running", "ended"):
        assert standing.words(state, 1)


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0, "0 seconds"), (61, "1 minute"), (3600 * 5, "5 hours"), (216000, "2 days")],
)  # fmt: skip
def test_durations(seconds: float, text: str) -> None:
    assert standing.duration(seconds) == text
