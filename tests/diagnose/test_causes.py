from __future__ import annotations

import json
from itertools import permutations

import pytest

from paramedic.diagnose.case import Case
from paramedic.diagnose.causes import Diagnosis, diagnose
from paramedic.diagnose.detector import Detector
from paramedic.types import Finding, Severity
from tests.diagnose.scripted import finding, scripted


def _case(slug: str, opened: int = 10, closed: int | None = None, **values: object) -> Case:
    return Case(finding(slug, **values), opened, 50, closed)


def _slugs(findings: tuple[Finding, ...]) -> list[str]:
    return [one.slug for one in findings]


def _excluding(slug: str, *excluded: str) -> Detector:
    return scripted(slug=slug, excludes=frozenset(excluded))


def test_nothing_is_healthy() -> None:
    diagnosis = diagnose([], [])
    assert diagnosis == Diagnosis()
    assert (diagnosis.health, diagnosis.findings) == ("healthy", ())


def test_what_explains_is_the_root_even_if_it_ranks_lower() -> None:
    cases = [
        _case("effect", severity=Severity.CRITICAL, confidence=1.0),
        _case("cause", explains=("effect",)),
    ]
    diagnosis = diagnose(cases, [])
    assert diagnosis.root is cases[1].finding
    assert _slugs(diagnosis.consequences) == ["effect"]
    assert diagnosis.health == "critical"
    assert _slugs(diagnosis.findings) == ["cause", "effect"]


def test_a_chain_has_one_root() -> None:
    cases = [_case("c"), _case("b", explains=("c",)), _case("a", explains=("b",))]
    diagnosis = diagnose(cases, [])
    assert diagnosis.root is cases[2].finding
    assert sorted(_slugs(diagnosis.consequences)) == ["b", "c"]


def test_what_was_gone_before_another_began_does_not_explain_it() -> None:
    early = _case("cause", closed=20, explains=("effect",))
    effect = _case("effect", step=30)
    assert diagnose([early, effect], []).root is effect.finding
    in_time = _case("effect", step=20)
    assert diagnose([early, in_time], []).root is early.finding


@pytest.mark.parametrize("length", [2, 3, 4])
def test_of_a_circle_the_highest_ranked_is_the_root(length: int) -> None:
    names = "abcd"[:length]
    cases = [
        _case(name, explains=(names[(place + 1) % length],), confidence=0.5 + 0.1 * place)
        for place, name in enumerate(names)
    ]
    for order in permutations(cases):
        diagnosis = diagnose(order, [])
        assert diagnosis.root is cases[-1].finding
        assert diagnosis.others == ()
        assert len(diagnosis.consequences) == length - 1


def test_a_circle_that_something_explains_has_no_root_of_its_own() -> None:
    cases = [
        _case("a", explains=("b",), confidence=1.0),
        _case("b", explains=("a",)),
        _case("cause", explains=("a",), confidence=0.1),
    ]
    assert _slugs(diagnose(cases, []).findings[:1]) == ["cause"]
    assert diagnose(cases, []).others == ()


def test_what_began_later_explains_nothing_that_was_there_before() -> None:
    cases = [
        _case("non-finite", step=299, evidence={"first_step": 299}, explains=("early", "late")),
        _case("early", step=15, explains=("late",)),
        _case("late", step=300),
    ]
    diagnosis = diagnose(cases, [])
    assert sorted(_slugs((*diagnosis.others, *diagnosis.findings[:1]))) == ["early", "non-finite"]
    assert _slugs(diagnosis.consequences) == ["late"]


def test_what_explains_itself_is_still_a_root() -> None:
    assert _slugs(diagnose([_case("a", explains=("a",))], []).findings) == ["a"]


def test_rank_is_open_then_gravity_then_confidence_then_time_and_notes_last() -> None:
    cases = [
        _case("e-info", severity=Severity.INFO, confidence=1.0),
        _case("d-closed", closed=40, confidence=1.0),
        _case("c-late", opened=30, confidence=0.5),
        _case("b-early", opened=20, confidence=0.5),
        _case("a-sure", opened=40, confidence=0.9),
        _case("f-critical", severity=Severity.CRITICAL, confidence=0.1, closed=40),
    ]
    wanted = ["a-sure", "b-early", "c-late", "f-critical", "d-closed", "e-info"]
    for order in (cases, cases[::-1]):
        assert _slugs(diagnose(order, []).findings) == wanted


def test_a_sickness_that_came_back_is_told_once() -> None:
    cases = [
        _case("plateau", opened=10, closed=20, confidence=1.0),
        _case("other", confidence=0.95),
        _case("plateau", opened=30, confidence=0.9),
    ]
    diagnosis = diagnose(cases, [])
    assert _slugs(diagnosis.findings) == ["other", "plateau"]
    assert diagnosis.findings[1] is cases[2].finding


@pytest.mark.parametrize("who", ["one", "other"])
def test_of_two_that_contradict_the_more_certain_stays(who: str) -> None:
    """It does not matter which of the two says so."""
    excluding = {"one": _excluding("one", "other"), "other": _excluding("other", "one")}
    cases = [_case("one", confidence=0.4), _case("other", confidence=0.6)]
    diagnosis = diagnose(cases, [excluding[who]])
    assert _slugs(diagnosis.findings) == ["other"]
    assert _slugs(diagnosis.set_aside) == ["one"]


def test_a_root_stays_against_a_contradicting_consequence() -> None:
    cases = [
        _case("effect", confidence=1.0),
        _case("rival", confidence=0.2),
        _case("cause", confidence=0.1, explains=("effect",)),
    ]
    diagnosis = diagnose(cases, [_excluding("effect", "rival")])
    assert _slugs(diagnosis.set_aside) == ["effect"]
    assert sorted(_slugs(diagnosis.findings)) == ["cause", "rival"]


def test_what_was_set_aside_explains_nothing() -> None:
    cases = [
        _case("strong", confidence=0.9),
        _case("weak", confidence=0.1, explains=("effect",)),
        _case("effect", confidence=0.5),
    ]
    diagnosis = diagnose(cases, [_excluding("strong", "weak")])
    assert _slugs(diagnosis.findings) == ["strong", "effect"]
    assert diagnosis.consequences == ()


@pytest.mark.parametrize(
    ("severity", "health"),
    [
        (Severity.INFO, "healthy"),
        (Severity.WARNING, "warning"),
        (Severity.CRITICAL, "critical"),
    ],
)
def test_health_is_that_of_the_worst(severity: Severity, health: str) -> None:
    cases = [_case("a", severity=Severity.INFO), _case("b", severity=severity)]
    assert diagnose(cases, []).health == health


def test_json() -> None:
    cases = [_case("cause", explains=("effect",)), _case("effect"), _case("other", confidence=0.1)]
    diagnosis = diagnose(cases, [], {"overfitting": "no validation loss"})
    data = json.loads(json.dumps(diagnosis.to_json()))
    assert data["health"] == "warning"
    assert Finding.from_json(data["root"]) == diagnosis.root
    assert [one["slug"] for one in data["others"]] == ["other"]
    assert [one["slug"] for one in data["consequences"]] == ["effect"]
    assert data["not_checked"] == {"overfitting": "no validation loss"}
    assert diagnose([], []).to_json()["root"] is None


def test_what_was_built_wrong_is_nobodys_consequence() -> None:
    cases = [
        _case("effect", evidence={"by_construction": True}),
        _case("cause", explains=("effect",)),
    ]
    assert diagnose(cases, []).consequences == ()


def test_what_came_back_began_when_it_was_there_first() -> None:
    effect = _case("effect", step=100)
    first = _case("cause", step=90, closed=150, explains=("effect",))
    again = _case("cause", opened=300, step=300, explains=("effect",))
    diagnosis = diagnose([effect, first, again], [])
    assert diagnosis.root is not None
    assert (diagnosis.root.slug, diagnosis.root.step) == ("cause", 90)
    assert diagnose([effect, again], []).root is effect.finding
