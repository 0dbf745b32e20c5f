from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from typing import Any

import pytest
from rich.console import Console, RenderableType

from paramedic.diagnose.case import Case
from paramedic.diagnose.causes import Diagnosis, diagnose
from paramedic.diagnose.replay import Verdict
from paramedic.report.verdict import brief, could_judge, evidence, summary, told
from paramedic.types import Finding, Severity
from tests.diagnose.scripted import finding


def _show(what: RenderableType, width: int = 100) -> str:
    console = Console(file=io.StringIO(), width=width)
    console.print(what)
    return console.file.getvalue()  # type: ignore[attr-defined,no-any-return]


def _verdict(
    findings: Sequence[Finding] = (),
    *,
    frames: int = 50,
    not_checked: Mapping[str, str] | None = None,
    closed: int | None = None,
) -> Verdict:
    cases = tuple(Case(one, one.step, 90, closed) for one in findings)
    return Verdict("run.db", "default", frames, 99, diagnose(cases, (), not_checked), cases)


def test_a_healthy_run() -> None:
    shown = _show(told(_verdict(), 5))
    assert "run.db: healthy: nothing was found in 100 steps, 50 of them looked at." in shown


def test_a_remark_is_no_sickness() -> None:
    shown = _show(told(_verdict([finding("too-few-steps", severity=Severity.INFO)]), 5))
    assert "healthy: nothing to worry about" in shown
    assert "too-few-steps it is" in shown


def test_the_root_comes_with_its_proof_and_its_consequences() -> None:
    root = finding(
        "vanishing-gradient",
        severity=Severity.CRITICAL,
        where=tuple(f"layer{place}" for place in range(9)),
        evidence={"ratio": 3e-8, "threshold": 1e-3},
        explains=("loss-plateau",),
    )
    shown = _show(told(_verdict([finding("loss-plateau"), root, finding("overfitting")]), 5))
    assert "run.db: sick: vanishing-gradient, told at step 10." in shown
    assert "Root cause: VANI vanishing-gradient (critical, 90 % sure)" in shown
    assert "Told at step 10, still so at 90." in shown
    assert "layer5 and 3 more." in shown
    assert "Evidence: ratio 3e-08 (threshold 0.001)." in shown
    assert "Explained by it:\n    LOSS loss-plateau, step 10: loss-plateau it is" in shown
    assert "Beside it: OVER overfitting" in shown


def test_a_consequence_of_another_names_it() -> None:
    root = finding("root-cause", severity=Severity.CRITICAL)
    other = finding("other-cause", explains=("third-thing",))
    shown = _show(told(_verdict([root, other, finding("third-thing")]), 5))
    assert "Explained by other-cause:" in shown


def test_a_sickness_that_went_says_when() -> None:
    shown = _show(told(_verdict([finding("loss-plateau")], closed=95), 5))
    assert "not well" in shown
    assert "gone at step 95." in shown


def test_what_was_set_aside_is_named() -> None:
    diagnosis = Diagnosis(root=finding("a-root"), set_aside=(finding("loud-layer"),))
    shown = _show(told(Verdict("x", "default", 1, 1, diagnosis, ()), 5))
    assert "contradicts: LOUD loud-layer." in shown


def test_what_was_not_checked_is_short_unless_asked_for() -> None:
    reasons = {f"rule-{place}": "no validation loss" for place in range(6)}
    verdict = _verdict(not_checked=reasons)
    short = _show(told(verdict, 7))
    assert "Not checked: rule-0, rule-1, rule-2, rule-3 and 2 more (--verbose says why)." in short
    assert "no validation loss" not in short
    assert "rule-5: no validation loss" in _show(told(verdict, 7, verbose=True))


@pytest.mark.parametrize(
    ("given", "judged"),
    [
        ({}, True),
        ({"frames": 0}, False),
        ({"not_checked": {"a": "x", "b": "y"}}, False),
        ({"not_checked": {"a": "x"}}, True),
        ({"frames": 0, "findings": [finding("a-root")]}, True),
    ],
)
def test_silence_is_health_only_if_somebody_looked(given: dict[str, Any], judged: bool) -> None:
    verdict = _verdict(**given)
    assert could_judge(verdict, 2) is judged
    assert ("could not be judged" in _show(told(verdict, 2))) is not judged


def test_the_one_reason_is_in_the_headline() -> None:
    shown = _show(told(_verdict(not_checked={"a": "no accuracy", "b": "no accuracy"}), 2))
    assert "could not be judged: no accuracy." in shown


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
    shown = _show(told(_verdict([hostile]), 5))
    assert "[bold]x[/bold] \\x1b[2J" in shown
    assert "\x1b" not in shown
    assert "\x07" not in shown


def test_a_table_of_runs_fits_a_narrow_terminal() -> None:
    verdicts = [_verdict(), _verdict([finding("vanishing-gradient")]), _verdict(frames=0)]
    shown = _show(summary(verdicts, 5), width=50)
    assert "not judged" in _show(summary(verdicts, 5))
    assert all(len(line) <= 50 for line in shown.splitlines())
