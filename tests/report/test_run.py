from __future__ import annotations

import io
from dataclasses import replace
from pathlib import Path

from rich.console import Console

from paramedic.diagnose.causes import Diagnosis
from paramedic.diagnose.conclusion import Conclusion, conclude
from paramedic.report.run import told
from paramedic.run.outcome import Outcome, Record
from paramedic.run.places import Place
from paramedic.types import Finding, Severity
from tests.report.made import FAILING, FAULT, FELL, LEAK, LEARNING, RATE, STUCK, YOUNG


def _shown(outcome: Outcome, stopped: str = "", *, verbose: bool = False) -> str:
    console = Console(file=io.StringIO(), width=200)
    console.print(told(outcome, stopped, verbose=verbose))
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


def test_a_program_that_does_not_learn(tmp_path: Path) -> None:
    path = tmp_path / "t.py"
    path.write_text("\n\nopt = SGD(lr=1e-9)\n")
    record = replace(FAILING, places={"optimizer": Place(str(path), 3)})
    shown = _shown(Outcome("t.py", (record,)))
    for words in (
        "t.py: not learning: the loss is no lower than at first after 100 steps (first 2, now 2).",
        "Most likely causes (not proven):",
        "Suspicion: learning-rate-too-low (O002), 90 %, step 26",
        "Evidence: ratio 1e-06.",
        "t.py:3: opt = SGD(lr=1e-9)",
        "- Raise it (80 %",
        "lr *= 10",
        "1 more finding (--verbose).",
        "Not checked: wrong-mode (--verbose says why).",
        "Trace: /run.db",
    ):
        assert words in shown
    assert "loss-plateau" not in shown, "a consequence"
    everything = _shown(Outcome("t.py", (record,)), verbose=True)
    assert "Explained by learning-rate-too-low: loss-plateau (L003): Flat." in everything
    assert "wrong-mode: no dropout" in everything


def test_a_program_that_learns_and_none() -> None:
    shown = _shown(Outcome("t.py", (LEARNING,)))
    assert "t.py: learning: the loss fell from 2 to 1." in shown
    shown = _shown(Outcome("t.py", why_unjudged="it did not train"))
    assert "t.py: cannot tell: it did not train." in shown


def _record(*findings: Finding, learns: bool) -> Record:
    found = Diagnosis(findings[0], findings[1:])
    return Record(
        "model", 300, 20, found, conclude(found, (), FELL if learns else STUCK)
    )  # fmt: skip


def test_suspicions_of_a_program_that_learns_are_notes() -> None:
    outcome = Outcome("t.py", (_record(RATE, learns=True),))
    shown = _shown(outcome)
    assert "learning-rate-too-low" not in shown
    assert "1 more finding (--verbose)." in shown
    everything = _shown(outcome, verbose=True)
    assert "Note, since step 26: learning-rate-too-low (O002): Slow." in everything
    assert "Suspicion" not in everything
    assert "Most likely" not in everything


def test_what_is_too_good_to_be_true_is_said_of_a_program_that_learns() -> None:
    outcome = Outcome("t.py", (_record(LEAK, RATE, learns=True),))
    line = "Note, since step 70: too-good-to-be-true (D005): Too good."
    assert line in _shown(outcome)
    assert "1 more finding (--verbose)." in _shown(outcome)
    assert _shown(outcome, verbose=True).count(line) == 1
    assert "too-good-to-be-true" not in _shown(Outcome("t.py", (_record(LEAK, learns=False),)))


def test_a_fault_is_shown_whatever_the_verdict() -> None:
    for learns in (True, False):
        shown = _shown(Outcome("t.py", (_record(FAULT, RATE, learns=learns),)))
        assert f"Fault: missing-zero-grad ({FAULT.code}), step 20" in shown
        assert ("Suspicion: learning-rate-too-low" in shown) is not learns


def test_only_the_most_likely_causes_are_shown() -> None:
    others = [replace(RATE, slug=f"cause-{place}", code="Z1") for place in range(3)]
    record = _record(RATE, *others, learns=False)
    shown = _shown(Outcome("t.py", (record,)))
    assert shown.count("Suspicion: ") == 2
    assert "2 more findings (--verbose)." in shown
    assert _shown(Outcome("t.py", (record,)), verbose=True).count("Suspicion: ") == 4


def test_a_symptom_is_shown_where_nothing_explains_it() -> None:
    symptom = replace(FAILING.diagnosis.consequences[0], severity=Severity.WARNING)
    assert "Symptom: loss-plateau (L003), step 300" in _shown(
        Outcome("t.py", (_record(symptom, learns=False),))
    )
    with_cause = _shown(
        Outcome("t.py", (_record(replace(RATE, explains=()), symptom, learns=False),))
    )
    assert "Symptom:" not in with_cause


def test_several_trainings_and_an_early_end() -> None:
    shown = _shown(Outcome("t.py", (FAILING, LEARNING)), "after 7 steps, as --max-steps says")
    assert "t.py: not learning:" in shown
    assert "The program was ended after 7 steps, as --max-steps says." in shown
    assert "Training of model, 300 steps: not learning: the loss is no lower" in shown
    assert "Training of other, 900 steps: learning: the loss fell from 2 to 1" in shown


def test_one_that_learns_speaks_for_those_that_are_too_young() -> None:
    young = Record("young", 3, 3, conclusion=Conclusion(YOUNG))
    assert "t.py: learning:" in _shown(Outcome("t.py", (young, LEARNING)))
    assert "t.py: too early to say: the run has 3 steps." in _shown(Outcome("t.py", (young,)))
