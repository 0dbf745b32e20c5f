from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from dataclasses import replace

import pytest
from rich.console import Console, RenderableType

from paramedic.diagnose.case import Case
from paramedic.diagnose.causes import Diagnosis, diagnose
from paramedic.diagnose.conclusion import conclude
from paramedic.diagnose.replay import Replay
from paramedic.diagnose.verdict import Assessment
from paramedic.report.verdict import brief, evidence, summary, told
from paramedic.types import Finding, Kind, Severity, Verdict
from tests.diagnose.scripted import finding
from tests.report.made import FAULT, FELL, STUCK, YOUNG


def _show(what: RenderableType, width: int = 100) -> str:
    console = Console(file=io.StringIO(), width=width)
    console.print(what)
    return console.file.getvalue()  # type: ignore[attr-defined,no-any-return]


def _replay(
    findings: Sequence[Finding] = (),
    assessment: Assessment = STUCK,
    *,
    not_checked: Mapping[str, str] | None = None,
    closed: int | None = None,
) -> Replay:
    cases = tuple(Case(one, one.step, 90, closed) for one in findings)
    found = diagnose(cases, (), not_checked)
    return Replay(
        "run.db", "default", 50, 99, found, cases, conclude(found, cases, assessment)
    )  # fmt: skip


def test_a_run_that_learns() -> None:
    assert _show(told(_replay((), FELL))).strip() == "run.db: learning: the loss fell from 2 to 1."


@pytest.mark.parametrize("severity", [Severity.INFO, Severity.WARNING, Severity.CRITICAL])
def test_suspicions_of_a_run_that_learns_are_notes(severity: Severity) -> None:
    replay = _replay([finding("too-few-steps", severity=severity)], FELL)
    short, long = _show(told(replay)), _show(told(replay, verbose=True))
    assert "learning: the loss fell" in short
    assert "1 note (--verbose)." in short
    assert "too-few-steps" not in short
    assert "Note, since step 10: TOO- too-few-steps: too-few-steps it is" in long
    for text in (short, long):
        assert "Suspicion" not in text
        assert "What to do" not in text


def test_the_likely_cause_comes_with_its_proof_and_its_consequences() -> None:
    root = finding(
        "vanishing-gradient",
        severity=Severity.CRITICAL,
        where=tuple(f"layer{place}" for place in range(9)),
        evidence={"ratio": 3e-8, "threshold": 1e-3},
        explains=("loss-plateau",),
    )
    replay = _replay([finding("loss-plateau"), root, finding("overfitting")])
    shown = _show(told(replay, verbose=True))
    assert f"run.db: not learning: {STUCK.reason}." in " ".join(shown.split())
    assert "Most likely causes (not proven):" in shown
    assert "Suspicion: VANI vanishing-gradient (90 % sure)" in shown
    assert "First seen at step 10, still so at 90." in shown
    assert "layer5 and 3 more." in shown
    assert "Evidence: ratio 3e-08 (threshold 0.001)." in shown
    assert "Explained by it:\n    LOSS loss-plateau, step 10: loss-plateau it is" in shown
    assert "Suspicion: OVER overfitting" in shown
    assert shown.index("VANI") < shown.index("OVER")
    assert "loss-plateau" not in _show(told(replay)), "consequences are shown on request"


def test_facts_come_before_suspicions_and_are_certain() -> None:
    symptom = replace(finding("loss-explosion"), kind=Kind.SYMPTOM)
    found = [finding("a-suspicion", severity=Severity.CRITICAL), symptom, FAULT]
    shown = _show(told(_replay(found)))
    places = [
        shown.index(words)
        for words in (
            "Fault: O003 missing-zero-grad\n",
            "Symptom: LOSS loss-explosion\n",
            "Most likely causes",
            "Suspicion: A-SU a-suspicion (90 % sure)",
        )
    ]
    assert places == sorted(places)


def test_a_fault_is_shown_of_a_run_that_learns() -> None:
    shown = _show(told(_replay([FAULT], FELL)))
    assert "run.db: learning" in shown
    assert "Fault: O003 missing-zero-grad" in shown


def test_a_consequence_of_another_names_it() -> None:
    root = finding("root-cause", severity=Severity.CRITICAL)
    other = finding("other-cause", explains=("third-thing",))
    replay = _replay([root, other, finding("third-thing")])
    assert "Explained by other-cause:" in _show(told(replay, verbose=True))


def test_what_is_over_says_when() -> None:
    shown = _show(told(_replay([finding("dead-layer")], closed=95)))
    assert "not learning" in shown
    assert "gone at step 95." in shown
    fault = _show(told(_replay([FAULT], FELL, closed=95), verbose=True))
    assert "Note, steps 20 to 90: O003 missing-zero-grad" in fault, "a fault that was mended"


def test_what_was_set_aside_is_named() -> None:
    found = Diagnosis(root=finding("a-root"), set_aside=(finding("loud-layer"),))
    shown = _show(told(Replay("x", "default", 1, 1, found, (), conclude(found, (), STUCK))))
    assert "contradicts: LOUD loud-layer." in shown


def test_what_was_not_checked_is_short_unless_asked_for() -> None:
    reasons = {f"rule-{place}": "no validation loss" for place in range(6)}
    replay = _replay(not_checked=reasons)
    short = _show(told(replay))
    assert "Not checked: rule-0, rule-1, rule-2, rule-3 and 2 more (--verbose says why)." in short
    assert "no validation loss" not in short
    assert "rule-5: no validation loss" in _show(told(replay, verbose=True))


@pytest.mark.parametrize(
    "assessment", [YOUNG, Assessment(Verdict.CANNOT_TELL, "the loss scatters around zero")]
)
def test_where_there_is_no_verdict_nothing_is_blamed(assessment: Assessment) -> None:
    shown = _show(told(_replay([finding("a-root")], assessment)))
    assert f"run.db: {assessment.verdict}: {assessment.reason}." in shown
    assert "a-root" not in shown


def test_evidence_stands_against_its_threshold() -> None:
    values = {"norm": 1.0, "ratio": 0.5, "threshold": 1, "norm_threshold": 2.0, "loss": "x"}
    assert list(evidence(values)) == [
        "norm 1 (threshold 2)",
        "ratio 0.5 (threshold 1)",
        "loss x",
    ]
    assert list(evidence({"threshold": 1})) == ["threshold 1"]


def test_values_are_brief() -> None:
    assert brief(1 / 3) == "0.333"
    assert brief(float("inf")) == "inf"
    assert brief([1.5, 2]) == "1.5, 2"
    assert brief({"a": 1 / 3}) == "a 0.333"


def test_a_strangers_words_are_only_words() -> None:
    hostile = finding("a-root", message="[bold]x[/bold] \x1b[2J", where=("\x1b]0;title\x07",))
    shown = _show(told(_replay([hostile])))
    assert "[bold]x[/bold] \\x1b[2J" in shown
    assert "\x1b" not in shown
    assert "\x07" not in shown


def test_a_table_of_runs_fits_a_narrow_terminal() -> None:
    suspicion = finding("vanishing-gradient")
    replays = [_replay([suspicion], FELL), _replay([suspicion]), _replay((), YOUNG)]
    rows = [line.split() for line in _show(summary(replays)).splitlines()]
    assert rows[1:] == [
        ["run.db", "learning", "1"],
        ["run.db", "not", "learning", "vanishing-gradient", "10", "1"],
        ["run.db", "too", "early", "to", "say", "0"],
    ]
    narrow = _show(summary(replays), width=50)
    assert all(len(line) <= 50 for line in narrow.splitlines())
