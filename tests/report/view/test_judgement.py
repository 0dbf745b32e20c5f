from __future__ import annotations

from pathlib import Path

import pytest

from paramedic.diagnose.case import Case
from paramedic.diagnose.causes import Diagnosis
from paramedic.diagnose.conclusion import conclude
from paramedic.diagnose.replay import Replay
from paramedic.diagnose.verdict import Assessment
from paramedic.report.view.judgement import Judgement, of_record, of_replay, of_trace
from paramedic.run.outcome import Record
from paramedic.run.places import Place
from paramedic.trace import Trace, TraceError, Writer
from paramedic.types import Verdict
from tests.report.made import EFFECT, FAULT, FELL, REMEDY, ROOT, STUCK, VERIFIED, YOUNG, judged
from tests.report.made import trace as recorded


def test_a_replay_is_taken_over_as_it_is() -> None:
    found, cases = Diagnosis(ROOT), (Case(ROOT, 40, 99),)
    given = Replay(
        "run.db", "bttackler", 5, 9, found, cases, conclude(found, cases, STUCK), (REMEDY,)
    )
    told = of_replay(given)
    assert (told.diagnosis, told.conclusion, told.cases) == (found, given.conclusion, cases)
    assert (told.remedies, told.rules) == ((REMEDY,), "bttackler")
    assert told.conclusion.suspicions == (ROOT,)


@pytest.mark.parametrize(
    ("found", "assessment", "tone"),
    [
        (Diagnosis(), FELL, "healthy"),
        (Diagnosis(ROOT), FELL, "healthy"),
        (Diagnosis(FAULT), FELL, "warning"),
        (Diagnosis(), YOUNG, "unjudged"),
        (Diagnosis(ROOT), YOUNG, "unjudged"),
        (Diagnosis(FAULT), YOUNG, "warning"),
        (Diagnosis(), STUCK, "critical"),
        (Diagnosis(), Assessment(Verdict.DIVERGED, "the loss has risen far"), "critical"),
    ],
)
def test_silence_is_no_success_and_a_suspicion_no_failure(
    found: Diagnosis, assessment: Assessment, tone: str
) -> None:
    assert judged(found, assessment).tone == tone


def test_nothing_is_judged_before_there_is_anything() -> None:
    assert Judgement().tone == "unjudged"
    assert Judgement().conclusion.verdict is Verdict.CANNOT_TELL


def test_a_record_brings_lines_of_source(tmp_path: Path) -> None:
    script = tmp_path / "t.py"
    script.write_text("import torch\noptimizer = SGD()\n")
    record = Record(
        "model", 300, 20, Diagnosis(ROOT), conclude(Diagnosis(ROOT), (), STUCK), (REMEDY,),
        places={"optimizer": Place(str(script), 2)},
    )  # fmt: skip
    told = of_record(record, {REMEDY.slug: VERIFIED})
    (line,) = told.sources[ROOT.slug]
    assert line.place.endswith("t.py:2")
    assert line.text == "optimizer = SGD()"
    assert told.verified[REMEDY.slug] is VERIFIED
    assert told.tone == "critical"


def test_what_the_monitor_wrote_at_its_end(tmp_path: Path) -> None:
    with Trace.open(recorded(tmp_path / "open.db")) as trace:
        assert of_trace(trace) is None, "it was not closed"
    writer = Writer(tmp_path / "run.db")
    diagnosis = Diagnosis(ROOT, (), (EFFECT,), (), {"wrong-mode": "no dropout"})
    story = {"opened": 40, "seen": 90, "closed": None}
    writer.meta("diagnosis", diagnosis.to_json())
    writer.meta("cases", [{**ROOT.to_json(), **story}])
    writer.meta("remedies", [REMEDY.to_json()])
    writer.meta("assessment", STUCK.to_json())
    writer.close()
    with Trace.open(tmp_path / "run.db") as trace:
        told = of_trace(trace)
    assert told is not None
    assert told.diagnosis == diagnosis
    assert told.cases[0].opened == 40
    assert told.remedies[0].code == REMEDY.code
    assert told.conclusion.assessment == STUCK
    assert (told.tone, told.conclusion.suspicions) == ("critical", (ROOT,))


def _noted(path: Path, **values: object) -> Judgement | None:
    writer = Writer(path)
    for key, value in values.items():
        writer.meta(key, value)
    writer.close()
    with Trace.open(path) as trace:
        return of_trace(trace)


def test_a_trace_of_version_1_has_no_verdict(tmp_path: Path) -> None:
    told = _noted(tmp_path / "run.db", diagnosis=Diagnosis(ROOT).to_json())
    assert told is not None
    assert str(told.conclusion.assessment) == "cannot tell: the run was recorded without a verdict"
    assert told.conclusion.suspicions == ()
    assert [note.finding.slug for note in told.conclusion.notes] == [ROOT.slug]


@pytest.mark.parametrize(
    "value",
    [3, [], {}, {**STUCK.to_json(), "verdict": "sick"}, {**STUCK.to_json(), "numbers": {"a": "b"}}],
)
def test_a_verdict_that_is_none_is_damage(tmp_path: Path, value: object) -> None:
    with pytest.raises(TraceError, match="its diagnosis is invalid"):
        _noted(tmp_path / "run.db", diagnosis=Diagnosis(ROOT).to_json(), assessment=value)


@pytest.mark.parametrize("value", [3, {"root": {}}, {"root": None}, []])
def test_a_diagnosis_that_is_none_is_damage(tmp_path: Path, value: object) -> None:
    with pytest.raises(TraceError, match="its diagnosis is invalid"):
        _noted(tmp_path / "run.db", diagnosis=value)


def test_reasons_of_both_kinds() -> None:
    told = Judgement(Diagnosis(not_checked={"a": "short"}), not_measured={"b": "compiled"})
    assert told.not_checked == {"a": "short", "b": "compiled"}
