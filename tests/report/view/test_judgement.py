from __future__ import annotations

from pathlib import Path

import pytest

from paramedic.diagnose.causes import Diagnosis
from paramedic.diagnose.replay import Verdict
from paramedic.report.view.judgement import Judgement, of_record, of_trace, of_verdict
from paramedic.run.outcome import Record
from paramedic.run.places import Place
from paramedic.trace import Trace, TraceError, Writer
from tests.report.made import EFFECT, REMEDY, ROOT, VERIFIED
from tests.report.made import trace as recorded


def test_silence_is_health_only_if_somebody_could_look() -> None:
    nothing = Verdict("run.db", "default", 5, 9, Diagnosis(), ())
    assert of_verdict(nothing, 3).health == "healthy"
    blind = Verdict("run.db", "default", 5, 9, Diagnosis(not_checked={"a": "no", "b": "no"}), ())
    told = of_verdict(blind, 2)
    assert (told.health, told.why_not) == ("unjudged", "no")
    unseen = of_verdict(Verdict("run.db", "default", 0, 9, Diagnosis(), ()), 3)
    assert (unseen.health, unseen.why_not) == ("unjudged", "no step of it was looked at")


def test_a_record_brings_lines_of_source(tmp_path: Path) -> None:
    script = tmp_path / "t.py"
    script.write_text("import torch\noptimizer = SGD()\n")
    record = Record(
        "model", 300, 20, Diagnosis(ROOT), (REMEDY,), places={"optimizer": Place(str(script), 2)}
    )
    told = of_record(record, {REMEDY.slug: VERIFIED})
    (line,) = told.sources[ROOT.slug]
    assert line.place.endswith("t.py:2")
    assert line.text == "optimizer = SGD()"
    assert told.verified[REMEDY.slug] is VERIFIED


def test_what_the_monitor_wrote_at_its_end(tmp_path: Path) -> None:
    with Trace.open(recorded(tmp_path / "open.db")) as trace:
        assert of_trace(trace) is None, "nobody closed it"
    writer = Writer(tmp_path / "run.db")
    diagnosis = Diagnosis(ROOT, (), (EFFECT,), (), {"wrong-mode": "no dropout"})
    story = {"opened": 40, "seen": 90, "closed": None}
    writer.meta("diagnosis", diagnosis.to_json())
    writer.meta("cases", [{**ROOT.to_json(), **story}])
    writer.meta("remedies", [REMEDY.to_json()])
    writer.close()
    with Trace.open(tmp_path / "run.db") as trace:
        told = of_trace(trace)
    assert told is not None
    assert told.diagnosis == diagnosis
    assert told.cases[0].opened == 40
    assert told.remedies[0].code == REMEDY.code
    assert told.health == "critical"


@pytest.mark.parametrize("value", [3, {"root": {}}, {"root": None}, []])
def test_a_diagnosis_that_is_none_is_damage(tmp_path: Path, value: object) -> None:
    writer = Writer(tmp_path / "run.db")
    writer.meta("diagnosis", value)
    writer.close()
    with (
        Trace.open(tmp_path / "run.db") as trace,
        pytest.raises(TraceError, match="its diagnosis is invalid"),
    ):
        of_trace(trace)


def test_reasons_of_both_kinds() -> None:
    told = Judgement(Diagnosis(not_checked={"a": "short"}), not_measured={"b": "compiled"})
    assert told.not_checked == {"a": "short", "b": "compiled"}
