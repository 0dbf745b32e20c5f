from __future__ import annotations

import json

from paramedic.diagnose.case import Case
from tests.diagnose.scripted import finding


def test_open_until_closed() -> None:
    case = Case(finding("loss-plateau"), 10, 12)
    assert case.is_open
    case.closed = 20
    assert not case.is_open


def test_json_round_trip() -> None:
    given = finding("loss-plateau", where=("fc",), evidence={"slope": 0.5}, explains=("x",))
    for closed in (None, 20):
        case = Case(given, 10, 12, closed)
        assert Case.from_json(json.loads(json.dumps(case.to_json()))) == case
