"""Programs that never call the step of their optimizer."""

from __future__ import annotations

from pathlib import Path

import pytest

from paramedic.types import Verdict
from tests.run.support import script, under_watch

LOOP = """
import torch
model = torch.nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
{before}
for step in range({steps}):
    optimizer.zero_grad()
    (model(torch.randn(8, 4)) - 1).square().mean().backward()
    {after}
"""


def _seen(path: Path, before: str = "", after: str = "", steps: int = 120) -> tuple[str, str]:
    text = LOOP.format(before=before, after=after, steps=steps)
    assessment = under_watch(script(path, text)).outcome.assessment
    return str(assessment.verdict), assessment.reason


def test_a_step_that_is_never_called(tmp_path: Path) -> None:
    verdict, reason = _seen(tmp_path)
    assert verdict == Verdict.NOT_LEARNING
    assert "`step()` of SGD (" in reason
    assert "train.py:4) was never called" in reason
    assert "120 backward passes" in reason


@pytest.mark.parametrize(
    ("before", "after", "steps"),
    [
        ("model.eval()", "", 120),  # it is only evaluated, or attacked
        ("", "", 60),  # gradients may be accumulated for longer than this
        ("", "model.weight.data += 0.1", 120),  # something moves it
        ("", "if step == 110: optimizer.step()", 120),
    ],
)
def test_who_rests_for_good_reason(before: str, after: str, steps: int, tmp_path: Path) -> None:
    verdict, _ = _seen(tmp_path, before, after, steps)
    assert verdict in (Verdict.CANNOT_TELL, Verdict.TOO_EARLY)


def test_an_optimizer_of_another_model_rests(tmp_path: Path) -> None:
    before = (
        "other = torch.nn.Linear(4, 1)\n"
        "resting = torch.optim.SGD(other.parameters(), lr=0.1)\n"
        "other(torch.randn(8, 4))"
    )
    verdict, _ = _seen(tmp_path, before, "optimizer.step()")
    assert verdict == Verdict.LEARNING


def test_an_optimizer_of_a_model_that_was_replaced(tmp_path: Path) -> None:
    verdict, reason = _seen(tmp_path, "model = torch.nn.Linear(4, 1)", "optimizer.step()")
    assert verdict == Verdict.NOT_LEARNING
    assert "no update changed a weight" in reason
