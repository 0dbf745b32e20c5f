from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from paramedic.diagnose.causes import Diagnosis
from paramedic.diagnose.conclusion import conclude
from paramedic.diagnose.config import Config
from paramedic.hpo.recording import Goal, StudyFolder
from paramedic.report.gathering import (
    detail_for,
    page_of,
    page_of_heal,
    page_of_program,
    sources,
    view_of_trace,
)  # fmt: skip
from paramedic.run.outcome import Outcome, Record
from tests.report.made import REMEDY, ROOT, STUCK, VERIFIED
from tests.report.made import trace as recorded
from tests.report.view.test_heal import OUTCOME


def test_what_paths_stand_for(tmp_path: Path) -> None:
    (tmp_path / "runs").mkdir()
    recorded(tmp_path / "runs" / "b.db")
    recorded(tmp_path / "runs" / "a.db")
    (tmp_path / "heal").mkdir()
    (tmp_path / "heal" / "heal.json").write_text("{}")
    StudyFolder(tmp_path / "study").create(Goal("loss", "minimize", 2))
    found = sources([tmp_path / "runs", tmp_path / "heal", tmp_path / "study", Path("no.db")])
    assert [(one.path.name, one.kind) for one in found] == [
        ("a.db", "run"), ("b.db", "run"), ("heal", "heal"), ("study", "study"), ("no.db", "run"),
    ]  # fmt: skip
    (tmp_path / "empty").mkdir()
    with pytest.raises(FileNotFoundError, match="no trace"):
        list(sources([tmp_path / "empty"]))


def test_what_can_be_read_is_shown_beside_what_cannot(tmp_path: Path) -> None:
    (tmp_path / "bad.db").write_bytes(b"not a database" * 100)
    (tmp_path / "heal").mkdir()
    (tmp_path / "heal" / "heal.json").write_text("{}")
    good = recorded(tmp_path / "good.db")
    page = page_of([tmp_path / "bad.db", tmp_path / "heal", good, tmp_path / "no.db"])
    assert [run.name for run in page.runs] == ["good.db"]
    assert set(page.errors) == {
        str(tmp_path / "bad.db"), str(tmp_path / "no.db"), str(tmp_path / "heal"),
    }  # fmt: skip
    assert "no heal has ended" in page.errors[str(tmp_path / "heal")]
    assert page.title == "3 runs, 1 heal"


def test_a_trace_under_other_rules(tmp_path: Path) -> None:
    shown = view_of_trace(recorded(tmp_path / "run.db"), Config(rules="bttackler"))
    assert shown.rules == "bttackler"
    assert shown.cost.seconds == 2.0
    assert shown.headline.word == "Learning", "the verdict does not depend on the rules"


def test_a_heal_comes_with_its_first_and_last_run(tmp_path: Path) -> None:
    for folder in ("attempt-00-untouched", "attempt-01-S1", "attempt-02-S2"):
        (tmp_path / folder).mkdir()
        recorded(tmp_path / folder / "trace.db")
    (tmp_path / "outcome.json").write_text(json.dumps(OUTCOME))
    for page in (page_of([tmp_path]), page_of_heal(OUTCOME, tmp_path)):
        assert [run.name for run in page.runs] == ["attempt-00-untouched", "attempt-02-S2"]
        assert page.heals[0].status == "healed"
    assert page_of_heal(OUTCOME, tmp_path / "gone").runs == (), "paths in a file are not followed"


def test_a_study(tmp_path: Path) -> None:
    study = StudyFolder(tmp_path / "study")
    study.create(Goal("loss", "minimize", 2))
    study.add(0, [1.0, 0.5], [1.0, 2.0])
    page = page_of([tmp_path / "study"])
    assert (page.title, page.studies[0].metric) == ("study", "loss")


def test_a_program_with_and_without_its_trace(tmp_path: Path) -> None:
    path = recorded(tmp_path / "run.db")
    found = Diagnosis(ROOT)
    told: dict[str, Any] = {
        "steps": 30, "frames": 10, "diagnosis": found, "conclusion": conclude(found, (), STUCK),
        "remedies": (REMEDY,),
    }  # fmt: skip
    with_trace = Record("first", trace=path, **told)
    without = Record("second", losses=(3.0, 2.0, 1.0), **told)
    page = page_of_program(Outcome("t.py", (with_trace, without), verified={REMEDY.slug: VERIFIED}))
    first, second = page.runs
    assert page.title == "t.py"
    assert first.maps
    assert first.cards[0].advice[0].verified is VERIFIED
    assert second.panels[0].curves[0].points.steps.tolist() == [27, 28, 29]
    assert second.maps == ()


def test_many_runs_are_drawn_coarser() -> None:
    assert detail_for(0) == detail_for(2) == 1.0
    assert detail_for(4) == 0.5
    assert detail_for(1000) == 0.2
