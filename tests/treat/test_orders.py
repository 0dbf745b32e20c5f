"""What is ordered for a finding."""

from __future__ import annotations

import json
import math
from typing import Any

import pytest

from paramedic.treat.limits import Limits
from paramedic.treat.orders import Order, for_finding, remedy
from paramedic.types import Finding, Remedy, Safety, Severity


def _finding(slug: str) -> Finding:
    return Finding("X001", slug, Severity.WARNING, 0.9, "It is sick.", 12)


@pytest.mark.parametrize(
    ("slug", "action", "args"),
    [
        ("exploding-gradient", "clip-gradients", {"max_norm": 6.0}),
        ("learning-rate-too-high", "scale-rate", {"factor": 0.5}),
        ("overfitting", "raise-dropout", {"by": 0.1, "most": 0.5}),
    ],
)
def test_our_own_orders(slug: str, action: str, args: dict[str, Any]) -> None:
    order = for_finding(_finding(slug), (), Limits(), level=3.0)
    assert order is not None
    assert (order.cause, order.reason, order.began) == (slug, "It is sick.", 12)
    assert [(one.action, one.args) for one in order.remedies] == [(action, args)]


def test_what_was_prescribed_comes_first() -> None:
    swap = Remedy("swap", "Another activation", 0.9, Safety.UNSAFE, "swap-activation")
    once = Remedy("skip", "Skip", 0.9, Safety.SAFE, "skip-step")
    unsure = Remedy("a", "A", 0.4, Safety.SAFE, "scale-rate", {"factor": 0.1})
    advice = Remedy("b", "B", 0.9, Safety.ADVICE, "scale-rate", {"factor": 0.1})
    unsafe = Remedy("c", "C", 0.9, Safety.UNSAFE, "scale-rate", {"factor": 0.2})
    safe = Remedy("d", "D", 0.7, Safety.SAFE, "clip-gradients", {"max_norm": 0.2})

    def ordered(*remedies: Remedy) -> Remedy:
        order = for_finding(_finding("overfitting"), remedies, Limits(), 1.0)
        assert order is not None
        return order.remedies[0]

    assert ordered(swap, once, unsure, advice, unsafe, safe) == safe
    assert ordered(swap, once, unsure, advice, unsafe) == unsafe
    assert ordered(swap, once, unsure, advice).action == "raise-dropout"


def test_without_being_asked_a_rate_is_lowered_gently_and_never_raised() -> None:
    faster = Remedy("a", "A", 0.9, Safety.UNSAFE, "scale-rate", {"factor": 100.0})
    slower = Remedy("b", "B", 0.9, Safety.UNSAFE, "scale-rate", {"factor": 1e-3})
    finding = _finding("slow-convergence")
    assert for_finding(finding, [faster], Limits(), 1.0) is None
    gentle = for_finding(finding, [faster, slower], Limits(), 1.0)
    assert gentle is not None
    assert gentle.remedies[0].args == {"factor": 0.1}
    asked = for_finding(finding, [faster, slower], Limits(), 1.0, asked=True)
    assert asked is not None
    assert asked.remedies == (faster,)


def test_nothing_to_order() -> None:
    assert for_finding(_finding("dying-relu"), (), Limits(), 1.0) is None
    few = Limits(actions=("skip-step",))
    assert for_finding(_finding("overfitting"), (), few, 1.0) is None
    assert for_finding(_finding("exploding-gradient"), (), Limits(), math.nan) is None


def test_an_order_travels_as_json() -> None:
    order = Order("a", "b", (remedy("scale-rate", factor=0.5), remedy("roll-back")), 3)
    assert Order.from_json(json.loads(json.dumps(order.to_json()))) == order


def test_kinds() -> None:
    assert Order("a", "").kind == "a/none"
    assert Order("a", "", (remedy("skip-step"),)).kind == "a/skip-step"
    both = (remedy("skip-step"), remedy("roll-back"), remedy("scale-rate", factor=0.5))
    assert Order("a", "", both).kind == "a/roll-back"
    assert Order("a", "", (remedy("skip-step"), remedy("stop"))).kind == "a/stop"
