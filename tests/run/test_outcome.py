from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

from paramedic.diagnose.causes import Diagnosis
from paramedic.run.outcome import Outcome, Record, Verified, gravest_first, with_remedy
from paramedic.run.places import Place
from paramedic.types import Chart, Finding, Layer, Remedy, Severity

ROOT = Finding(
    "O002", "learning-rate-too-low", Severity.WARNING, 0.9, "Slow.", 26, (), {"ratio": 1e-6},
    ("loss-plateau",),
)  # fmt: skip
EFFECT = Finding("L003", "loss-plateau", Severity.CRITICAL, 0.8, "Flat.", 300)
REMEDY = Remedy("raise-rate", "Raise it", 0.8, code="lr *= 10", against=(ROOT.slug,))
SICK = Record(
    "model",
    steps=300,
    frames=20,
    diagnosis=Diagnosis(ROOT, (), (EFFECT,), (), {"wrong-mode": "no dropout"}),
    remedies=(REMEDY,),
    places={"optimizer": Place("/t.py", 8)},
    spent={"share": 0.01},
    trace=Path("/run.db"),
)
HEALTHY = Record("other", steps=900, frames=50)


def test_the_report() -> None:
    told = Outcome("t.py", (SICK,), verified={"raise-rate": Verified("val_loss", 2, 1, 300)})
    report = json.loads(json.dumps(told.to_json()))
    assert report["schema"] == "paramedic/report@1"
    assert (report["verdict"], report["steps"], report["trace"]) == ("sick", 300, "/run.db")
    root, effect = report["findings"]
    assert (root["code"], root["first_step"], root["explained_by"]) == ("O002", 26, None)
    assert root["source"] == [{"file": "/t.py", "line": 8}]
    assert root["evidence"] == {"ratio": 1e-6}
    assert effect["explained_by"] == "learning-rate-too-low"
    assert root["remedies"] == [{
        "slug": "raise-rate", "title": "Raise it", "confidence": 0.8, "safety": "advice",
        "code": "lr *= 10", "diff": "",
        "verified": {"metric": "val_loss", "before": 2, "after": 1, "steps": 300},
    }]  # fmt: skip
    assert report["not_checked"] == [{"slug": "wrong-mode", "why": "no dropout"}]
    assert report["overhead"] == 0.01


def test_verdicts_and_exit_codes() -> None:
    assert (Outcome("t.py", (SICK,)).verdict, Outcome("t.py", (SICK,)).exit_code) == ("sick", 1)
    assert (Outcome("t.py", (HEALTHY,)).verdict, Outcome("t.py", (HEALTHY,)).exit_code) == (
        "healthy",
        0,
    )
    assert (Outcome("t.py").verdict, Outcome("t.py").exit_code) == ("unjudged", 2)
    assert Outcome("t.py", (Record("model", steps=3),)).verdict == "unjudged"


def test_of_several_the_gravest_comes_first() -> None:
    records = gravest_first([HEALTHY, SICK])
    assert records == (SICK, HEALTHY)
    report = Outcome("t.py", records).to_json()
    assert [one["name"] for one in report["trainings"]] == ["model", "other"]
    assert report["verdict"] == "sick"


def test_the_layer_at_the_end() -> None:
    finding = Finding(
        "A003", "improper-output-activation", Severity.WARNING, 0.9, "", 1, (),
        {"output_function": "softmax"},
    )  # fmt: skip
    layers = (Layer("one", "Linear"), Layer("end", "Softmax", activation="softmax"))
    record = Record("m", chart=Chart(layers=layers), layers={"end": Place("/t.py", 9)})
    assert record.source(finding) == [Place("/t.py", 9)]


def test_diffs_of_patches() -> None:
    outcome = with_remedy(Outcome("t.py", (SICK,)), replace(REMEDY, diff="+1"))
    assert outcome.to_json()["findings"][0]["remedies"][0]["diff"] == "+1"
