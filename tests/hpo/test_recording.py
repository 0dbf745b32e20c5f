from __future__ import annotations

import json
import math
from pathlib import Path

import pytest

from paramedic.hpo.recording import Goal, StudyError, StudyFolder

GOAL = Goal("val_loss", "minimize", 3)


def test_a_study_is_read_as_it_was_written(tmp_path: Path) -> None:
    folder = StudyFolder(tmp_path / "study")
    folder.create(GOAL)
    folder.add(1, [3.0, math.nan, 1.0], [0.1, 0.2, 0.3], {"rate": 0.1})
    folder.add(0, [2.0], [0.5])
    folder.trace(1).touch()
    first, second = StudyFolder(tmp_path / "study").trials()
    assert (first.number, first.values, first.trace) == (0, (2.0,), None)
    assert second.values[0] == 3.0
    assert math.isnan(second.values[1])
    assert second.params == {"rate": 0.1}
    assert second.trace == folder.trace(1)


def test_a_trial_counts_only_when_it_was_recorded_to_its_end(tmp_path: Path) -> None:
    folder = StudyFolder(tmp_path)
    folder.create(GOAL)
    folder.trace(0).touch()
    assert not folder.has(0)
    assert list(folder.trials()) == []
    folder.discard(0)
    assert not folder.trace(0).exists()


def test_an_interrupted_recording_goes_on_but_not_with_another_goal(tmp_path: Path) -> None:
    StudyFolder(tmp_path).create(GOAL)
    StudyFolder(tmp_path).create(GOAL)
    with pytest.raises(StudyError, match="another study"):
        StudyFolder(tmp_path).create(Goal("val_acc", "maximize", 3))


@pytest.mark.parametrize(("direction", "badness"), [("minimize", 2.0), ("maximize", -2.0)])
def test_badness_is_such_that_less_is_better(direction: str, badness: float) -> None:
    goal = Goal("metric", direction, 1)
    assert goal.badness(2.0) == badness
    assert goal.badness(math.nan) == math.inf
    assert goal.badness(-math.inf) == math.inf


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("study.json", "{", "is damaged"),
        ("study.json", "[]", "not a JSON object"),
        ("study.json", '{"format": 9}', "format 9"),
        ("study.json", '{"format": 1, "metric": "m", "direction": "up", "epochs": 1}', "'up'"),
        ("study.json", '{"format": 1, "metric": "m"}', "damaged"),
    ],
)
def test_a_damaged_study_says_so(tmp_path: Path, name: str, text: str, message: str) -> None:
    (tmp_path / name).write_text(text, encoding="utf-8")
    with pytest.raises(StudyError, match=message):
        StudyFolder(tmp_path).goal  # noqa: B018


@pytest.mark.parametrize(
    "told",
    [
        {"number": 0, "values": [1.0], "seconds": [], "params": {}},
        {"number": 0, "values": ["x"], "seconds": [1.0], "params": {}},
        {"number": 0, "values": [], "seconds": [], "params": {}},
        {"values": [1.0]},
    ],
)
def test_a_damaged_trial_says_so(tmp_path: Path, told: object) -> None:
    folder = StudyFolder(tmp_path)
    folder.create(GOAL)
    (tmp_path / "trial-0000.json").write_text(json.dumps(told), encoding="utf-8")
    with pytest.raises(StudyError, match=r"trial-0000\.json.* is damaged"):
        list(folder.trials())


def test_a_folder_that_is_no_study_says_so(tmp_path: Path) -> None:
    with pytest.raises(StudyError, match="not a recorded study"):
        StudyFolder(tmp_path).goal  # noqa: B018


def test_one_time_per_value(tmp_path: Path) -> None:
    with pytest.raises(StudyError, match="2 values but 1 times"):
        StudyFolder(tmp_path).add(0, [1.0, 2.0], [1.0])
