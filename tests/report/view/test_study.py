from __future__ import annotations

import json
import math
from pathlib import Path

import pytest

from paramedic.hpo.recording import Goal, StudyFolder
from paramedic.report.view.plain import plain
from paramedic.report.view.study import Trial, read_study, study_view


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Trials without traces: nothing is found in them, so nothing ends."""
    study = StudyFolder(tmp_path / "study")
    study.create(Goal("val_acc", "maximize", 3))
    for number, level in enumerate([0.5, 0.3, 0.9]):
        study.add(number, [level / 2, level, level], [1.0, 2.0, 3.0])
    return tmp_path / "study"


def test_a_recorded_study(folder: Path) -> None:
    study = read_study(folder)
    assert study.simulated
    assert study.sentence == "0 of 3 trials would have been stopped."
    assert (study.metric, study.direction, study.seconds) == ("val_acc", "maximize", 9.0)
    assert study.causes == {"complete": 3}
    ours, theirs = study.best
    assert ours.values == theirs.values == (0.5, 0.5, 0.9)
    assert ours.seconds == (3.0, 6.0, 9.0)
    assert json.dumps(plain(study.to_json()), allow_nan=False)


def test_an_empty_study(tmp_path: Path) -> None:
    StudyFolder(tmp_path / "study").create(Goal("val_acc", "maximize", 3))
    with pytest.raises(ValueError, match="without a trial that came to its end"):
        read_study(tmp_path / "study")


def test_an_optuna_study() -> None:
    optuna = pytest.importorskip("optuna")
    verdict = {"decision": "stop", "cause": "non-finite", "why": "NaN.", "epoch": 1, "epochs": 1,
               "step": 9, "seconds": 1.0, "planned": 4}  # fmt: skip
    well = {**verdict, "decision": "continue", "cause": "", "epoch": 4, "epochs": 4, "seconds": 4.0}
    study = optuna.create_study(direction="minimize")
    for value, state, told in [
        (0.5, "COMPLETE", well), (None, "PRUNED", verdict), (0.7, "COMPLETE", well),
        (None, "FAIL", None),
    ]:  # fmt: skip
        study.add_trial(
            optuna.trial.create_trial(
                value=value,
                state=optuna.trial.TrialState[state],
                user_attrs={} if told is None else {"paramedic": told},
            )
        )
    shown = study_view(study)
    assert shown.sentence == "1 of 4 trials were stopped, about 25% of the time saved."
    assert [one.ending for one in shown.trials] == ["complete", "stopped", "complete", "fail"]
    assert shown.causes == {"non-finite": 1, "fail": 1, "complete": 2}
    assert shown.best[0].values == (0.5, 0.5, 0.5, 0.5)
    assert math.isnan(shown.trials[1].value)
    assert isinstance(shown.trials[0], Trial)
