from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from paramedic.diagnose.condition import Condition
from paramedic.report.closing import closing
from paramedic.report.glyphs import ASCII, UNICODE
from paramedic.types import Kind, Severity, Verdict
from tests.report.pictures import FINDING, REMEDY, sick


def _text(width: int = 99, height: int = 30, **changes: object) -> str:
    lines = closing(sick(**changes), [0.9, 0.7], [REMEDY], Path("run.db"), (width, height), UNICODE)
    return "\n".join(line.plain for line in lines)


def test_the_verdict_its_proof_what_to_do_and_the_cost() -> None:
    told = _text()
    for words in (
        "paramedic: not learning after 100 steps in 30 s · the loss is level",
        "Likely cause: vanishing-gradient (G001), 90 % sure, step 66",
        "The gradient of `0` is small.",
        "Evidence: ratio 3e-08 (threshold 0.001).",
        "Try: Use ReLU (89 %)",
        "nn.ReLU()",
        "loss      0.7        █▁",
        "Watching cost 1.2 % of the time, 17 looks.",
        "Recorded in run.db",
        "Symptom: loss-plateau (L003), step 99",
    ):
        assert words in told
    assert "The loss rests." not in told, "the first finding alone is explained"


def test_a_fault_is_neither_likely_nor_unlikely() -> None:
    fault = replace(FINDING, kind=Kind.FAULT, severity=Severity.WARNING)
    condition = Condition(Verdict.LEARNING, "the loss is falling", FINDING.slug, fault=True)
    told = _text(findings=(fault,), condition=condition)
    assert "paramedic: learning after 100 steps" in told
    assert "Fault: vanishing-gradient (G001), step 66" in told
    assert "sure" not in told


def test_a_run_that_learns_needs_few_lines() -> None:
    told = _text(findings=(), condition=Condition(Verdict.LEARNING, "the loss is falling"))
    assert "paramedic: learning after 100 steps" in told
    assert told.count("\n") <= 6


@pytest.mark.parametrize(("width", "height"), [(99, 24), (39, 24), (39, 12), (200, 50)])
def test_it_fits_on_a_screen(width: int, height: int) -> None:
    long = replace(FINDING, message="many words " * 100)
    others = tuple(replace(FINDING, slug=f"other-{place}") for place in range(20))
    status = sick(findings=(long, *others))
    for glyphs in (UNICODE, ASCII):
        lines = closing(status, [1.0] * 99, [REMEDY], Path("run.db"), (width, height), glyphs)
        assert len(lines) <= height - 2
        assert max(line.cell_len for line in lines) <= width
        assert "Recorded" in lines[-1].plain
