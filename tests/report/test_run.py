from __future__ import annotations

import io
from pathlib import Path

from rich.console import Console

from paramedic.report.run import told
from paramedic.run.outcome import Outcome
from paramedic.run.places import Place
from tests.run.test_outcome import HEALTHY, SICK


def _shown(outcome: Outcome, stopped: str = "", *, verbose: bool = False) -> str:
    console = Console(file=io.StringIO(), width=200)
    console.print(told(outcome, stopped, verbose=verbose))
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


def test_a_sick_program(tmp_path: Path) -> None:
    from dataclasses import replace

    path = tmp_path / "t.py"
    path.write_text("\n\nopt = SGD(lr=1e-9)\n")
    record = replace(SICK, places={"optimizer": Place(str(path), 3)})
    shown = _shown(Outcome("t.py", (record,)))
    for words in (
        "t.py: sick: learning-rate-too-low.",
        "Root cause: learning-rate-too-low (O002), warning, 90 % sure, step 26",
        "Evidence: ratio 1e-06.",
        "t.py:3: opt = SGD(lr=1e-9)",
        "- Raise it (80 %",
        "lr *= 10",
        "Explained by learning-rate-too-low: loss-plateau (L003): Flat.",
        "Not checked: wrong-mode (--verbose says why).",
        "Trace: /run.db",
    ):
        assert words in shown
    assert "wrong-mode: no dropout" in _shown(Outcome("t.py", (record,)), verbose=True)


def test_a_healthy_program_and_none() -> None:
    assert "t.py: healthy after 900 steps." in _shown(Outcome("t.py", (HEALTHY,)))
    shown = _shown(Outcome("t.py", why_unjudged="it did not train"))
    assert "t.py: could not be judged: it did not train." in shown


def test_several_trainings_and_an_early_end() -> None:
    shown = _shown(Outcome("t.py", (SICK, HEALTHY)), "after 7 steps, as --max-steps says")
    assert "The program was ended after 7 steps, as --max-steps says." in shown
    assert "Training of model, 300 steps: sick" in shown
    assert "Training of other, 900 steps: healthy" in shown
