from __future__ import annotations

import json
import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from benchmarks.detection_parts import counting, goals, naming, page, rates
from benchmarks.detection_parts.judging import causes_of, ours, outcome_of, variants
from benchmarks.detection_parts.runs import Judged, Outcome, Run, of_half
from paramedic.diagnose.case import Case
from paramedic.diagnose.causes import Diagnosis
from paramedic.diagnose.conclusion import conclude
from paramedic.diagnose.rates import parse
from paramedic.diagnose.rules import DEFAULT, rule_sets, rules
from paramedic.diagnose.verdict import Assessment
from paramedic.trace import Writer
from paramedic.types import Chart, Finding, Frame, Kind, Layer, Severity, Verdict


def _run(slug: str, accepted: tuple[str, ...] = (), *, onset: int = 0) -> Run:
    return Run(f"{slug or 'healthy'}/a", "a.db", slug, accepted, "judging", 200, onset)


def _said(
    *findings: str, opened: int = 10, quiet: bool = False, cases: int | None = None
) -> Outcome:
    return Outcome(
        findings=findings,
        opened=dict.fromkeys(findings, opened),
        loud=() if quiet else findings,
        cases=len(findings) if cases is None else cases,
    )


def _judged(run: Run, outcome: Outcome) -> Judged:
    return Judged(run, {DEFAULT: outcome})


def _judged_by_us(run: Run, verdict: str = "learning", **more: Any) -> Judged:
    return _judged(run, Outcome(verdict=verdict, **more))


def _finding(slug: str, severity: Severity) -> Finding:
    return Finding("G001", slug, severity, 0.9, "Something is wrong.", 7)


VANISHING = "vanishing-gradient"
PACKAGES = {"numpy": "1", "torch": "2"}
FACTS = {"cores": 2, "processor": "P", "system": "S", "python": "3", "packages": PACKAGES}
MACHINE = {"machine": FACTS}


def test_anything_found_counts_as_noticed_but_not_as_found() -> None:
    wrong = _judged(_run(VANISHING), _said("dying-relu"))
    counted = counting.tally([wrong], DEFAULT)
    assert (counted.noticed, counted.found, counted.named) == (1, 0, 0)
    assert counted.delay is None


def test_a_consequence_is_found_but_not_named() -> None:
    second = _judged(_run(VANISHING), _said("dying-relu", VANISHING))
    counted = counting.tally([second], DEFAULT)
    assert (counted.noticed, counted.found, counted.named) == (1, 1, 0)
    assert counting.misnamed([second], DEFAULT) == [second]


def test_an_accepted_neighbour_is_a_right_name() -> None:
    neighbour = _judged(_run(VANISHING, ("poor-initialization",)), _said("poor-initialization"))
    assert counting.tally([neighbour], DEFAULT).named == 1
    assert counting.misnamed([neighbour], DEFAULT) == []


def test_a_mere_note_in_a_sick_run_is_noticed_but_no_alarm() -> None:
    noted = _judged(_run("no-more-gain"), _said("no-more-gain", quiet=True))
    counted = counting.tally([noted], DEFAULT)
    assert (counted.noticed, counted.alarmed, counted.named) == (1, 0, 1)


def test_silence_is_a_miss() -> None:
    counted = counting.tally([_judged(_run(VANISHING), _said())], DEFAULT)
    assert (counted.runs, counted.noticed, counted.named) == (1, 0, 0)


def test_delay_goes_from_the_onset_to_the_first_right_name() -> None:
    run = _run(VANISHING, ("poor-initialization",), onset=40)
    opened = {"dying-relu": 41, VANISHING: 80, "poor-initialization": 60}
    said = Outcome(findings=tuple(opened), opened=opened)
    assert counting.delay(run, said) == pytest.approx(0.1)


def test_delay_of_a_name_that_was_set_aside_does_not_count() -> None:
    said = Outcome(findings=("dying-relu",), opened={"dying-relu": 5, VANISHING: 5})
    assert counting.delay(_run(VANISHING), said) is None


def test_a_name_told_before_the_onset_is_shown_as_early() -> None:
    one = _judged(_run(VANISHING, onset=50), _said(VANISHING, opened=10))
    assert counting.delay(one.run, one.outcomes[DEFAULT]) == pytest.approx(-0.2)
    assert counting.early([one], DEFAULT) == [one]


def test_delays_have_a_median_and_quartiles() -> None:
    runs = [_judged(_run(VANISHING), _said(VANISHING, opened=step)) for step in (0, 20, 40, 60, 80)]
    assert counting.tally(runs, DEFAULT).delay == pytest.approx((0.2, 0.1, 0.3))


def test_healthy_runs_are_counted_apart() -> None:
    runs = [
        _judged(_run(""), _said("overfitting", cases=3)),
        _judged(_run(""), _said("no-more-gain", quiet=True)),
        _judged(_run(""), _said()),
        _judged(_run(VANISHING), _said(VANISHING)),
    ]
    calm = counting.Calm(runs=3, alarmed=1, failed=0, suspected=1, findings=2, cases=4)
    assert counting.calm(runs, DEFAULT) == calm
    assert counting.alarmed(runs, DEFAULT) == runs[:1]
    assert counting.tally(runs, DEFAULT).runs == 1


def test_a_warning_that_was_set_aside_is_still_an_alarm() -> None:
    cases = [
        Case(_finding("overfitting", Severity.WARNING), 12, 20, 24),
        Case(_finding("no-more-gain", Severity.INFO), 30, 30),
        Case(_finding("overfitting", Severity.WARNING), 40, 50),
    ]
    said = outcome_of(Diagnosis(root=cases[1].finding), cases)
    assert said.loud == ("overfitting",)
    assert said.opened == {"overfitting": 12, "no-more-gain": 30}
    assert (said.root, said.cases) == ("no-more-gain", 3)


def test_what_is_found_in_a_healthy_run_that_learns_is_no_warning() -> None:
    found = {"findings": (VANISHING,), "loud": (VANISHING,)}
    noted = _judged_by_us(_run(""), **found)
    warned = _judged_by_us(_run(""), warned=(VANISHING,), **found)
    failed = _judged_by_us(_run(""), "not learning")
    counted = counting.calm([noted, warned, failed], DEFAULT)
    assert (counted.alarmed, counted.failed, counted.suspected) == (2, 1, 2)
    assert failed.outcomes[DEFAULT].warnings == ("verdict: not learning",)


@pytest.mark.parametrize(
    ("verdict", "fault", "learned", "right"),
    [
        ("not learning", False, False, True),
        ("diverged", False, True, True),
        ("learning", False, False, False),
        ("learning", False, True, True),
        ("learning", True, False, True),
        ("too early to say", False, True, False),
        ("cannot tell", False, False, False),
    ],
)
def test_the_verdict_on_a_sick_run(verdict: str, fault: bool, learned: bool, right: bool) -> None:
    run = replace(_run(VANISHING), learned=learned)
    one = _judged_by_us(run, verdict, fault=fault)
    assert counting.tally([one], DEFAULT).told == right
    assert (counting.misjudged([one], DEFAULT) == []) == right


def test_the_right_cause_is_first_among_causes_and_a_symptom_among_all() -> None:
    behind = _judged_by_us(
        _run(VANISHING),
        findings=("loss-plateau", VANISHING),
        opened=dict.fromkeys(("loss-plateau", VANISHING), 10),
        causes=(VANISHING,),
    )
    assert counting.tally([behind], DEFAULT).named == 0
    assert counting.tally([behind], DEFAULT).caused == 1
    symptom = _run("oscillating-loss")
    both = ("oscillating-loss", "dying-relu")
    opened = dict.fromkeys(both, 10)
    first = _judged_by_us(symptom, findings=both, opened=opened)
    second = _judged_by_us(symptom, findings=both[::-1], opened=opened)
    assert counting.tally([first, second], DEFAULT).caused == 1
    assert counting.miscaused([first, second], DEFAULT) == [second]


def test_faults_come_before_suspicions_and_symptoms_are_no_causes() -> None:
    suspicion = _finding("dying-relu", Severity.CRITICAL)
    symptom = replace(_finding("loss-plateau", Severity.CRITICAL), kind=Kind.SYMPTOM)
    fault = replace(_finding("wrong-mode", Severity.WARNING), kind=Kind.FAULT)
    effect = _finding("slow-convergence", Severity.WARNING)
    found = Diagnosis(symptom, (suspicion, fault), (effect,))
    said = conclude(found, [], Assessment(Verdict.LEARNING, ""))
    assert causes_of(found, said) == ("wrong-mode", "dying-relu")


def test_detectors_that_were_switched_off_are_told() -> None:
    reasons = {"overfitting": "switched off: it failed", "dying-relu": "not measured"}
    said = outcome_of(Diagnosis(not_checked=reasons), [])
    shown = counting.switched_off([_judged(_run(""), said)], DEFAULT)
    assert shown == {"overfitting": "switched off: it failed (healthy/a)"}


def test_sicknesses_and_families_come_in_the_order_of_the_codes() -> None:
    slugs = ("overfitting", "exploding-gradient", "dying-relu", VANISHING)
    runs = [_judged(_run(slug), _said(slug)) for slug in slugs]
    ordered = ["dying-relu", VANISHING, "exploding-gradient", "overfitting"]
    assert list(counting.by_slug(runs)) == ordered
    families = counting.by_family(runs)
    assert {letter: len(group) for letter, group in families.items()} == {"A": 1, "G": 2, "T": 1}


def test_every_foreign_name_means_names_of_ours() -> None:
    theirs = {kind.slug for name in rule_sets()[1:] for kind in rules(name)}
    assert set(naming.MEANINGS) == theirs
    assert frozenset().union(*naming.MEANINGS.values()) <= set(naming.codes())
    assert {naming.family(slug) for slug in naming.codes()} == set(naming.FAMILIES)


def test_foreign_names_are_translated_and_judged_on_what_they_know() -> None:
    rule_set = "bttackler"
    said = _said("bttackler-low-activation-ratio")
    runs = [Judged(_run(slug), {rule_set: said}) for slug in ("dying-relu", "overfitting")]
    assert counting.tally(runs, rule_set).named == 1
    assert counting.covered(runs, rule_set) == runs[:1]
    assert naming.vocabulary(naming.SPARSE) == naming.vocabulary(DEFAULT)
    assert set(variants()) == {*rule_sets(), naming.SPARSE}


def _verdicts(runs: list[Judged], expected: int) -> dict[str, str]:
    rates_ = {"frames_per_second": [10.0, 1e6], "frames_per_processor_second": [10.0, 2e6]}
    speed = {"frames": 10, "layers": 2, **rates_}
    results = {"expected": {"judging": expected}, "speed": speed}
    return {one.goal: one.verdict for one in goals.verdicts(results, runs)}


def test_goals_are_met_missed_or_not_judged() -> None:
    runs = [
        _judged(_run(VANISHING), _said(VANISHING, opened=100)),
        _judged(_run("dying-relu"), _said("dying-relu", opened=10)),
        _judged(_run(""), _said("overfitting")),
    ]
    found = _verdicts(runs, expected=3)
    assert found["sick runs in which anything is found"] == goals.MET
    assert found[goals.WARNED] == goals.MISSED
    assert found["median delay, G (gradients)"] == goals.MISSED
    assert found["median delay, A (activations)"] == goals.MET
    assert found["median delay, N (numerics)"] == goals.UNKNOWN
    assert found["frames judged per second, one core"] == goals.MET
    assert _verdicts(runs, expected=4)["sick runs with the right name first"] == goals.PARTIAL


def test_rates_are_what_the_catalogue_reads(tmp_path: Path) -> None:
    runs = [
        _judged(_run(VANISHING), _said(VANISHING)),
        _judged(_run(VANISHING), _said("dying-relu")),
        _judged(_run(""), _said(VANISHING)),
        _judged(_run(""), _said("overfitting")),
    ]
    rates.write(runs, tmp_path / "rates.json")
    read = parse((tmp_path / "rates.json").read_text())
    assert list(read) == ["G001"]
    found = read["G001"]
    assert (found.sick_runs, found.found, found.named) == (2, 1, 1)
    assert (found.healthy_runs, found.false_alarms) == (2, 1)
    assert found.median_delay == pytest.approx(0.05)
    assert found.source == rates.SOURCE


def test_what_was_judged_survives_the_file() -> None:
    one = _judged(_run(VANISHING, ("poor-initialization",)), _said(VANISHING))
    assert Judged.from_json(json.loads(json.dumps(one.to_json()))) == one


def test_runs_of_the_judging_half_that_went_wrong_are_counted_and_not_named() -> None:
    early = Outcome(("dying-relu", VANISHING), {"dying-relu": 10, VANISHING: 10})
    truths = {_run(VANISHING, onset=50): early, _run(""): _said("overfitting")}
    everybody = [
        Judged(replace(run, name=f"{half}-{run.slug}", half=half), dict.fromkeys(variants(), said))
        for half in ("judging", "tuning")
        for run, said in truths.items()
    ]
    halves = {half: of_half(everybody, half) for half in ("judging", "tuning")}
    text = "\n".join([*page._error_sections(halves), page._particulars(MACHINE, everybody)])
    assert "judging-" not in text
    assert "vanishing-gradient: 1 of 1" in text
    assert "overfitting: 1 of 1" in text
    assert "In a run of the judging half a right name was found before the fault began" in text
    assert "`tuning-vanishing-gradient`: **dying-relu**" in text
    assert "`tuning-`: overfitting" in text


def _recorded(path: Path, bad: range) -> Path:
    """A run that learns but for some steps whose loss is not finite."""
    writer = Writer(path)
    layers = tuple(Layer(f"l{place}", "Linear", parameters=100, order=place) for place in range(4))
    writer.chart(Chart(layers=layers, loss="cross-entropy"))
    for step in range(200):
        finite = step not in bad
        loss = 2.3 * 0.98**step if finite else math.nan
        writer.pulse(step, loss, finite, False)
        scalars = {"loss": loss, "loss_finite": float(finite), "grad_finite": 1.0}
        writer.frame(Frame(step, "full", scalars, {"grad_norm": np.ones(4, np.float32)}))
    writer.close()
    return path


def test_a_replay_warns_of_what_a_watch_would_have_told(tmp_path: Path) -> None:
    learns = ours(_recorded(tmp_path / "learns.db", range(40, 42)), 1)
    assert (learns.verdict, learns.loud) == ("learning", ("non-finite",))
    assert learns.warnings == ()
    fails = ours(_recorded(tmp_path / "fails.db", range(40, 200)), 1)
    assert fails.warnings == ("non-finite", "verdict: diverged")
