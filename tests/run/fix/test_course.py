from __future__ import annotations

from paramedic.run.fix.course import Course


def test_curves_for_the_report() -> None:
    assert len(Course([1.0] * 500).curve()) == 60
    assert Course().curve() == []
