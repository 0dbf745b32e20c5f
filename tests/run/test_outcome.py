from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

from paramedic.diagnose.causes import Diagnosis
from paramedic.diagnose.conclusion import Conclusion, conclude
from paramedic.diagnose.verdict import Assessment
from paramedic.run.outcome import Outcome, Record, Verified, most_serious_first, with_remedy
from paramedic.run.places import Place
from paramedic.types import Chart, Finding, Kind, Layer, Remedy, Severity, Verdict
from tests.cli.schema import check

ROOT = Finding(
    "O002", "learning-rate-too-low", Severity.WARNING, 0.9, "Slow.", 26, (), {"ratio": 1e-6},
    ("loss-plateau",),
)  # fmt: skip
EFFECT = Finding("L003", "loss-plateau", Severity.CRITICAL, 0.8, "Flat.", 300)
FAULT = Finding("O003", "missing-zero-grad", Severity.CRITICAL, 0.99, "…", 5, kind=Kind.FAULT)
REMEDY = Remedy("raise-rate", "Raise it", 0.8, code="lr *= 10", against=(ROOT.slug,))
FOUND = Diagnosis(ROOT, (), (EFFECT,), (), {"wrong-mode": "no dropout"})
FAILED = Record(
    "model",
    steps=300,
    frames=20,
    diagnosis=FOUND,
    conclusion=conclude(FOUND, (), Assessment(Verdict.NOT_LEARNING, "it is flat")),
    remedies=(REMEDY,),
    places={"optimizer": Place("/t.py", 8)},
    spent={"share": 0.01, "seconds": 0.5},
    trace=Path("/run.db"),
)
LEARNING = Record(
    "other", steps=900, frames=50, conclusion=Conclusion(Assessment(Verdict.LEARNING, "it fell"))
)
FAULTY = replace(
    LEARNING,
    name="faulty",
    diagnosis=Diagnosis(FAULT),
    conclusion=conclude(Diagnosis(FAULT), (), Assessment(Verdict.LEARNING, "it fell")),
)


def test_what_is_said_of_trainings_that_are_not_listed() -> None:
    report = Outcome("t.py", (LEARNING,), rest=("80 more trainings",)).to_json()
    assert report["rest"] == ["80 more trainings"]
    check(report)


def test_the_report() -> None:
    outcome = Outcome("t.py", (FAILED,), verified={"raise-rate": Verified("val_loss", 2, 1, 300)})
    report = json.loads(json.dumps(outcome.to_json()))
    assert report["schema"] == "paramedic/report@2"
    assert (report["verdict"], report["reason"]) == ("not learning", "it is flat")
    assert (report["exit_code"], report["steps"]) == (1, 300)
    (training,) = report["trainings"]
    assert training["trace"] == "/run.db"
    root, effect = training["findings"]
    assert (root["code"], root["first_step"], root["explained_by"]) == ("O002", 26, None)
    assert (root["role"], effect["role"]) == ("suspicion", "consequence")
    assert root["source"] == [{"file": "/t.py", "line": 8}]
    assert root["evidence"] == {"ratio": 1e-6}
    assert effect["explained_by"] == "learning-rate-too-low"
    assert root["remedies"] == [{
        "slug": "raise-rate", "title": "Raise it", "confidence": 0.8, "safety": "advice",
        "code": "lr *= 10", "diff": "",
        "verified": {"metric": "val_loss", "before": 2, "after": 1, "steps": 300},
    }]  # fmt: skip
    assert training["not_checked"] == [{"slug": "wrong-mode", "why": "no dropout"}]
    assert training["overhead"] == {"share": 0.01, "seconds": 0.5}


def test_verdicts_and_exit_codes() -> None:
    for records, verdict, code in (
        ((FAILED,), Verdict.NOT_LEARNING, 1),
        ((LEARNING,), Verdict.LEARNING, 0),
        ((FAULTY,), Verdict.LEARNING, 1),
        ((), Verdict.CANNOT_TELL, 2),
        ((Record("model", steps=3),), Verdict.TOO_EARLY, 2),
    ):
        outcome = Outcome("t.py", records)
        assert (outcome.assessment.verdict, outcome.exit_code) == (verdict, code)


def test_what_may_be_patched() -> None:
    assert Outcome("t.py", (FAILED,)).suspect
    assert not Outcome("t.py", (LEARNING,)).suspect


def test_of_several_the_most_serious_comes_first() -> None:
    records = most_serious_first([LEARNING, FAULTY, FAILED])
    assert records == (FAILED, FAULTY, LEARNING)
    outcome = Outcome("t.py", records)
    report = outcome.to_json()
    assert [one["name"] for one in report["trainings"]] == ["model", "faulty", "other"]
    assert report["verdict"] == "not learning"
    assert outcome.leading == ROOT


def test_the_layer_at_the_end() -> None:
    finding = Finding(
        "A003", "improper-output-activation", Severity.WARNING, 0.9, "", 1, (),
        {"output_function": "softmax"},
    )  # fmt: skip
    layers = (Layer("one", "Linear"), Layer("end", "Softmax", activation="softmax"))
    record = Record("m", chart=Chart(layers=layers), layers={"end": Place("/t.py", 9)})
    assert record.source(finding) == [Place("/t.py", 9)]


def test_diffs_of_patches() -> None:
    outcome = with_remedy(Outcome("t.py", (FAILED,)), replace(REMEDY, diff="+1"))
    (training,) = outcome.to_json()["trainings"]
    assert training["findings"][0]["remedies"][0]["diff"] == "+1"
