from __future__ import annotations

import json

from paramedic.diagnose.causes import Diagnosis
from paramedic.prescribe.ranking import (
    Combination,
    Emergency,
    Ranking,
    emergency,
    fit,
    learned,
    ranked,
)
from paramedic.types import Remedy, Safety, Severity
from tests.diagnose.scripted import finding

NOTHING = Ranking()
HIGH, BIG = "learning-rate-too-high", "abnormal-data"


def _remedy(slug: str, confidence: float, safety: Safety = Safety.UNSAFE) -> Remedy:
    return Remedy(slug, slug, confidence, safety)


def _slugs(remedies: tuple[Remedy, ...]) -> list[str]:
    return [remedy.slug for remedy in remedies]


def test_of_one_problem_the_surest_comes_first() -> None:
    given = {HIGH: [_remedy("warm-up", 0.6), _remedy("lower-rate", 0.9)]}
    assert _slugs(ranked(given, NOTHING)) == ["lower-rate", "warm-up"]


def test_equals_go_by_family_then_by_safety() -> None:
    given = {
        HIGH: [
            _remedy("replace-activation", 0.8),
            _remedy("more-dropout", 0.8),
            _remedy("lower-rate", 0.8),
            _remedy("clip-gradients", 0.8, Safety.SAFE),
            _remedy("zero-grad", 0.8),
        ]
    }
    assert _slugs(ranked(given, NOTHING)) == [
        "zero-grad", "clip-gradients", "lower-rate", "more-dropout", "replace-activation",
    ]  # fmt: skip


def test_of_several_problems_what_treats_both_comes_first() -> None:
    given = {
        HIGH: [_remedy("lower-rate", 0.9), _remedy("clip-gradients", 0.7)],
        BIG: [_remedy("normalise-inputs", 0.95), _remedy("clip-gradients", 0.7)],
    }
    found = ranked(given, NOTHING)
    assert found[0].slug == "clip-gradients"
    assert found[0].against == (HIGH, BIG)
    assert _slugs(found)[1:] == ["lower-rate", "normalise-inputs"]  # the root counts more


def test_each_remedy_is_there_once() -> None:
    given = {HIGH: [_remedy("stop", 0.9)], BIG: [_remedy("stop", 0.5)]}
    assert _slugs(ranked(given, NOTHING)) == ["stop"]


def test_what_was_measured_overrules_the_product() -> None:
    given = {
        HIGH: [_remedy("lower-rate", 0.9)],
        BIG: [_remedy("normalise-inputs", 0.9)],
    }
    assert ranked(given, NOTHING)[0].slug == "lower-rate"
    results = [((HIGH, BIG), "normalise-inputs", True)] * 9
    results += [((HIGH, BIG), "lower-rate", False)] * 9
    assert ranked(given, fit(results))[0].slug == "normalise-inputs"


def test_what_the_root_brings_about_changes_the_order_only_by_measurement() -> None:
    given = {HIGH: [_remedy("lower-rate", 0.9), _remedy("clip-gradients", 0.7)]}
    unstable = "gradient-instability"
    assert ranked(given, NOTHING, [unstable])[0].slug == "lower-rate"
    results = [((HIGH, unstable), "clip-gradients", True)] * 9
    results += [((HIGH, unstable), "lower-rate", False)] * 9
    assert ranked(given, fit(results), [unstable])[0].slug == "clip-gradients"
    assert ranked(given, fit(results))[0].slug == "lower-rate"


def test_nothing_to_rank() -> None:
    assert ranked({}, NOTHING) == ()


def test_fitting_counts_pairs() -> None:
    found = fit([(("b", "a", "c"), "r", True), (("a", "b"), "r", False)], {"date": "today"})
    assert found.provenance == {"date": "today"}
    assert Combination(("a", "b"), "r", 1, 2) in found.pairs
    assert Combination(("a", "c"), "r", 1, 1) in found.pairs
    assert len(found.pairs) == 3
    assert found.both(("b", "a"), "r", 0.5) == (0.5 * 2 + 1) / 4


def test_fitting_learns_what_it_is_shown() -> None:
    """The more often a remedy ended both, the higher it ranks, whatever was believed."""
    results = [(("a", "b"), "good", place < 9) for place in range(10)]
    results += [(("a", "b"), "bad", place < 1) for place in range(10)]
    table = fit(results)
    believed = {"a": [_remedy("bad", 0.9), _remedy("good", 0.6)], "b": [_remedy("bad", 0.9)]}
    assert ranked(believed, NOTHING)[0].slug == "bad"
    assert ranked(believed, table)[0].slug == "good"


def test_json_round_trips() -> None:
    table = fit([(("a", "b"), "r", True)], {"command": "make bench-remedies"})
    assert Ranking.from_json(json.loads(json.dumps(table.to_json()))) == table
    event = Emergency(7, (HIGH, BIG), (Remedy("lower-rate", "Lower it", 0.9, against=(HIGH,)),))
    assert Emergency.from_json(json.loads(json.dumps(event.to_json()))) == event
    assert isinstance(learned(), Ranking)


def test_several_problems_are_one_event() -> None:
    diagnosis = Diagnosis(
        root=finding(HIGH, step=7), others=(finding(BIG, step=9),), consequences=(finding("x"),)
    )
    event = emergency(diagnosis, [_remedy("lower-rate", 0.9)])
    assert event is not None
    assert event.problems == (HIGH, BIG, "x")
    assert event.best is not None
    assert event.best.slug == "lower-rate"


def test_one_problem_or_a_mere_note_is_no_emergency() -> None:
    assert emergency(Diagnosis(), []) is None
    assert emergency(Diagnosis(root=finding(HIGH)), []) is None
    note = finding("no-more-gain", severity=Severity.INFO)
    assert emergency(Diagnosis(root=finding(HIGH), others=(note,)), []) is None
