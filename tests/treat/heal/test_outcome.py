"""Outcomes: the chain of remedies, queries, JSON, and what is written to a folder."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest

from paramedic.treat.heal.outcome import Outcome, read_history, tried
from tests.treat.heal.legs import TREATMENT, attempt, finding, leg
from tests.treat.plans import network, plan


def _outcome() -> Outcome:
    first = attempt(leg(math.nan))
    second = attempt(leg(0.9), number=1, treatment=TREATMENT, parent=0)
    third = attempt(leg(0.4), number=2, treatment=TREATMENT, parent=0)
    second.verdict, third.verdict = "healed", "outrun"
    whole = plan().steps * 16
    return Outcome(
        "healed", "accuracy", math.nan, 0.9, 1.25, (finding(),),
        tried([first, second, third], whole), network(), plan(epochs=3), plan(),
        ("one", "two"), "", 1,
    )  # fmt: skip


def test_the_chain_and_queries() -> None:
    outcome = _outcome()
    assert [one.number for one in outcome.remedies] == [1]
    assert [one.number for one in outcome.find(remedy="adam")] == [1, 2]
    assert [one.number for one in outcome.find(remedy="adam", verdict="outrun")] == [2]
    assert outcome.attempts[1].cost == pytest.approx(20 / 96)
    assert outcome.curve(1)[0].metric == 0.9


def test_it_reads_as_text() -> None:
    text = str(_outcome())
    assert text.startswith("healed: accuracy not measured → 0.9, cost 1.25 trainings")
    assert "found: vanishing-gradient" in text
    assert "changed: another optimizer (against vanishing-gradient)" in text


def test_the_folder(tmp_path: Path) -> None:
    _outcome().save(tmp_path)
    data = read_history(tmp_path)
    assert data == json.loads(json.dumps(_outcome().to_json(), allow_nan=False))
    assert (data["status"], data["before"], data["after"]) == ("healed", None, 0.9)
    assert "-    epochs=6," in (tmp_path / "plan.diff").read_text()
    with pytest.raises(FileNotFoundError, match="no heal has ended there"):
        read_history(tmp_path / "elsewhere")
