from __future__ import annotations

import json

from paramedic.diagnose.causes import Diagnosis
from paramedic.report.view.heal import heal_view
from paramedic.report.view.page import PageView
from paramedic.report.view.run import run_view
from tests.report.made import FAULT, FELL, ROOT, YOUNG, course, judged, sick_run
from tests.report.view.test_heal import OUTCOME


def test_the_worst_counts() -> None:
    learns = run_view("b", course(), judged(Diagnosis(ROOT), FELL))
    young = run_view("c", course(), judged(Diagnosis(ROOT), YOUNG))
    wrong = run_view("d", course(), judged(Diagnosis(FAULT), FELL))
    assert PageView("x").health == "healthy"
    assert PageView("x", (learns,)).health == "healthy"
    assert PageView("x", (learns, young)).health == "unjudged"
    assert PageView("x", (learns, young, wrong)).health == "warning"
    assert PageView("x", (learns, wrong, sick_run())).health == "critical"
    assert PageView("x", heals=(heal_view({**OUTCOME, "status": "failed"}),)).health == "critical"


def test_json() -> None:
    page = PageView("x", (sick_run(),), (heal_view(OUTCOME),))
    told = json.loads(json.dumps(page.to_json(), allow_nan=False))
    assert (len(told["runs"]), len(told["heals"]), told["studies"]) == (1, 1, [])
    assert told["heals"][0]["attempts"][0]["curve"]["val_loss"] == [None, None]
