from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from paramedic.diagnose.rules import rules
from paramedic.treat.plan import Plan
from paramedic.treat.remedies import (
    ORDER,
    SEQUENTIAL,
    WITHOUT_REMEDY,
    remedies,
    remedies_for,
    remedy,
)
from paramedic.treat.remedy import Treated
from paramedic.types import Finding


@dataclass(frozen=True)
class Mine:
    slug: str = "mine"
    title: str = "My own"
    against: tuple[str, ...] = ("vanishing-gradient",)

    def apply(self, plan: Plan, finding: Finding, facts: Any = None) -> Treated:
        return Treated(plan, "", "")


def test_every_problem_has_an_order_or_a_reason() -> None:
    slugs = {detector.slug for detector in rules()}
    assert slugs == set(ORDER) | set(WITHOUT_REMEDY)


@pytest.mark.parametrize("order", [ORDER, SEQUENTIAL])
def test_the_orders_name_remedies_that_are_against_the_problem(order: dict[str, Any]) -> None:
    for problem, slugs in order.items():
        assert len(set(slugs)) == len(slugs)
        for slug in slugs:
            assert problem in remedies()[slug].against, f"{slug} is not against {problem}"


def test_every_remedy_is_tried_against_something() -> None:
    tried = {slug for order in (ORDER, SEQUENTIAL) for slugs in order.values() for slug in slugs}
    assert tried == set(remedies())


def test_all_nine_solutions_are_there() -> None:
    solutions = {getattr(one, "solution", "") for one in remedies().values()}
    assert solutions - {""} == {f"S{number}" for number in range(1, 10)}


def test_users_reorder_add_and_forbid() -> None:
    chosen = remedies_for("vanishing-gradient", allowed=[Mine(), "initialise", "clip-norm"])
    assert [one.slug for one in chosen] == ["mine", "initialise"]
    assert remedies_for("vanishing-gradient", allowed=[]) == ()
    with pytest.raises(ValueError, match=r"no remedy `S99`; there are .*clip-norm"):
        remedies_for("vanishing-gradient", allowed=["S99"])
    with pytest.raises(TypeError, match="3 is no remedy: it has no `slug`"):
        remedy(3)


def test_the_order_of_the_paper() -> None:
    solutions = {
        problem: list(
            dict.fromkeys(one.solution for one in remedies_for(problem, strategy="sequential"))  # type: ignore[attr-defined]
        )
        for problem in SEQUENTIAL
    }
    assert solutions == {
        "vanishing-gradient": ["S2", "S1"],
        "exploding-gradient": ["S2", "S1", "S3"],
        "dying-relu": ["S2", "S1", "S4"],
        "oscillating-loss": ["S7", "S6", "S4", "S5"],
        "slow-convergence": ["S7", "S6", "S4"],
        "improper-output-activation": ["S2"],
        "improper-loss": ["S8"],
        "abnormal-data": ["S9"],
    }
    ours = remedies_for("overfitting")
    assert remedies_for("overfitting", strategy="sequential") == ours


def test_every_remedy_is_in_the_manual() -> None:
    manual = (Path(__file__).parents[3] / "docs" / "surgery.md").read_text(encoding="utf-8")
    assert [slug for slug in remedies() if f"`{slug}`" not in manual] == []
