"""The example is a plan that can be trained; that it is healed is tested with other plans."""

from __future__ import annotations

from pathlib import Path

from paramedic.cli.loading import module_of

FILE = Path(__file__).parent.parent.parent / "examples" / "sick_plan.py"


def test_it_is_a_plan() -> None:
    plan = module_of(str(FILE)).plan()
    plan.check()
    assert plan.steps == 640
    assert len(plan.output()[0]) == 32
