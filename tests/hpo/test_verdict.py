from __future__ import annotations

import json

from paramedic.hpo.verdict import Decision, Verdict


def test_a_verdict_survives_json() -> None:
    verdict = Verdict(Decision.STOP, 3, 40, "dying-relu", "why", ("dying-relu", "behind"))
    assert Verdict.from_json(json.loads(json.dumps(verdict.to_json()))) == verdict


def test_a_verdict_reads_as_words() -> None:
    assert str(Verdict(Decision.CONTINUE, 1, 1)) == "continue"
    assert str(Verdict(Decision.STOP, 1, 1, "non-finite")) == "stop: non-finite"
    assert str(Verdict(Decision.FINISHED, 9, 1, "no-more-gain")) == "finished: no-more-gain"


def test_what_a_newer_version_adds_is_passed_over() -> None:
    told = {**Verdict(Decision.CONTINUE, 1, 1).to_json(), "mood": "good"}
    assert Verdict.from_json(told) == Verdict(Decision.CONTINUE, 1, 1)
