"""What is decided from which facts."""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np
import pytest

from paramedic.treat.facts import Facts
from paramedic.treat.limits import Limits
from paramedic.treat.orders import Order
from paramedic.treat.policy import Policy

NAN, INF = math.nan, math.inf


class Run:
    """A run as the policy sees it; every order is carried out."""

    def __init__(self, steps: int = 200, **limits: object) -> None:
        self.policy = Policy(Limits.of(limits))
        self.step = 0
        self.draw = np.random.default_rng(0)
        self.well(steps)

    def see(
        self, loss: float = NAN, norm: float = NAN, rate: float = 0.1, from_data: bool = False
    ) -> Order | None:
        usual = 0.3 + 2 * math.exp(-self.step / 30) + 0.02 * self.draw.normal()
        loss = usual if math.isnan(loss) else loss
        norm = 3 * math.exp(0.1 * self.draw.normal()) if math.isnan(norm) else norm
        finite = math.isfinite(loss) and math.isfinite(norm)
        facts = Facts(self.step, loss, norm, rate, finite, from_data)
        order = self.policy.judge(facts)
        if order is not None and order.remedies:
            self.policy.carried_out(order, self.step)
        self.step += 1
        return order

    def well(self, steps: int) -> None:
        for _ in range(steps):
            assert self.see() is None


def _actions(orders: Iterable[Order | None]) -> list[list[str]]:
    return [[] if one is None else [remedy.action for remedy in one.remedies] for one in orders]


def test_a_healthy_run_is_left_alone() -> None:
    run = Run(steps=2000)
    assert run.policy.calm
    assert not run.policy.acted_lately(run.step)


@pytest.mark.parametrize("bad", [{"loss": INF}, {"norm": INF}])
def test_a_step_that_is_not_finite_is_skipped(bad: dict[str, float]) -> None:
    run = Run(steps=0)
    assert _actions([run.see(**bad)]) == [["skip-step"]]
    run.well(100)
    assert _actions([run.see(**bad)]) == [["skip-step"]]


def test_after_some_in_a_row_it_is_rolled_back_and_slowed_down() -> None:
    run = Run()
    orders = [run.see(norm=INF) for _ in range(5)]
    back = ["skip-step", "roll-back", "scale-rate"]
    assert _actions(orders) == [*[["skip-step"]] * 3, back, ["skip-step"]]
    assert orders[3].began == 200
    assert orders[3].remedies[-1].args == {"factor": 0.5}


def test_batches_that_are_not_finite_are_no_fault_of_the_weights() -> None:
    run = Run()
    orders = [run.see(loss=INF, from_data=place == 0) for place in range(40)]
    assert _actions(orders) == [["skip-step"]] * 40
    assert "because the batch is not" in orders[0].reason
    assert not orders[0].quiet
    assert orders[39].quiet


def test_a_spike_is_clipped_to_the_usual() -> None:
    run = Run()
    order = run.see(norm=60.0)
    assert _actions([order]) == [["clip-gradients"]]
    assert order.remedies[0].args["max_norm"] == pytest.approx(3.0, rel=0.1)
    assert order.remedies[0].args["steps"] == 1
    run.well(50)


def test_a_gradient_that_stays_large_is_the_new_usual() -> None:
    run = Run()
    actions = _actions(run.see(norm=300.0) for _ in range(30))
    assert actions == [*[["clip-gradients"]] * 3, *[[]] * 27]


def test_a_corrupted_batch_is_skipped() -> None:
    run = Run()
    order = run.see(loss=40.0, norm=900.0)
    assert order.cause == "corrupted-batch"
    assert _actions([order]) == [["skip-step"]]
    run.well(50)


def test_when_every_batch_seems_corrupted_the_weights_are() -> None:
    run = Run()
    orders = [run.see(loss=40.0, norm=900.0) for _ in range(4)]
    assert _actions(orders) == [*[["skip-step"]] * 3, ["roll-back"]]
    assert orders[3].began == 200


def test_a_collapse_is_told_and_nothing_else() -> None:
    run = Run()
    order = run.see(norm=3e-8)
    assert order.cause == "gradient-collapse"
    assert order.remedies == ()


def test_an_explosion_is_rolled_back_to_before_it_began() -> None:
    run = Run()
    orders = [run.see(loss=2.0) for _ in range(6)]
    assert _actions(orders) == [*[[]] * 5, ["roll-back"]]
    assert orders[-1].began == 200
    assert not run.policy.calm  # until it is clear that it helped
    run.well(50)
    assert run.policy.calm


def test_after_a_jump_of_the_rate_it_goes_back_to_the_healthy_one() -> None:
    run = Run()
    for _ in range(4):
        assert run.see(rate=3.0) is None
    assert not run.policy.calm
    orders = [run.see(loss=0.8, rate=3.0) for _ in range(6)]
    assert _actions(orders)[-1] == ["roll-back", "scale-rate"]
    assert orders[-1].began == 200
    assert orders[-1].remedies[1].args["factor"] == pytest.approx(1 / 30)


def test_a_leap_of_the_rate_that_hurts_is_ended_soon() -> None:
    run = Run()
    orders = [run.see(rate=3.0), *(run.see(loss=0.8, rate=3.0) for _ in range(3))]
    assert _actions(orders) == [[], [], [], ["roll-back", "scale-rate"]]
    assert orders[-1].began == 200


def test_a_high_loss_before_the_rate_leapt_is_not_where_it_began() -> None:
    run = Run()
    assert run.see(loss=0.42) is None
    orders = [run.see(rate=3.0), *(run.see(loss=0.8, rate=3.0) for _ in range(3))]
    assert _actions(orders)[-1] == ["roll-back", "scale-rate"]
    assert orders[-1].began == 201


def test_a_leap_of_the_rate_beside_a_spike_is_ended_at_once() -> None:
    run = Run()
    order = run.see(norm=60.0, rate=3.0)
    assert _actions([order]) == [["clip-gradients", "scale-rate"]]
    assert order.remedies[1].args["factor"] == pytest.approx(1 / 30)
    assert "the rate has risen to 3" in order.reason


def test_a_spike_soon_after_a_leap_of_the_rate_is_rolled_back() -> None:
    run = Run()
    assert run.see(rate=3.0) is None
    order = run.see(norm=60.0, rate=3.0)
    assert _actions([order]) == [["roll-back", "scale-rate"]]
    assert order.began == 200
    barred = Run(actions=("clip-gradients", "scale-rate"))
    barred.see(rate=3.0)
    assert _actions([barred.see(norm=60.0, rate=3.0)]) == [["clip-gradients", "scale-rate"]]


def test_the_step_at_which_the_rate_jumps_is_known() -> None:
    run = Run()
    assert not run.policy.turns(199)
    run.see(rate=3.0)
    assert run.policy.turns(200)
    assert not run.policy.calm
    run.see(rate=3.0)
    assert not run.policy.turns(201)


def test_the_next_roll_backs_are_slower_and_the_last_is_the_end() -> None:
    run = Run(roll_backs=3)
    seen = []
    for _ in range(5):
        seen.append([run.see(loss=2.0) for _ in range(6)][-1])
        run.well(30)
    assert _actions(seen) == [
        ["roll-back"], ["roll-back", "scale-rate"], ["roll-back", "scale-rate"],
        ["stop"], [],
    ]  # fmt: skip
    assert [seen[place].remedies[1].args["factor"] for place in (1, 2)] == [0.2, 0.05]


def test_data_that_has_changed_is_not_the_fault_of_the_weights() -> None:
    run = Run()
    for _ in range(6):
        run.see(loss=2.0)
    orders = [run.see(loss=2.0 + 0.01 * (place % 5)) for place in range(200)]
    told = [order for order in orders if order is not None]
    assert [order.cause for order in told] == ["data-changed"]
    assert told[0].takes_back == "loss-explosion"


def test_a_restart_of_the_rate_is_no_explosion() -> None:
    run = Run(steps=0)
    for step in range(300):
        assert run.see(rate=0.1 * 0.98**step) is None
    for _ in range(60):
        assert run.see(loss=1.5, rate=0.1) is None


def test_no_more_than_so_many_in_a_window() -> None:
    run = Run(most=2)
    actions = []
    for _ in range(4):
        actions += _actions([run.see(norm=300.0)])
        run.well(30)
    assert actions == [["clip-gradients"], ["clip-gradients"], [], []]
    run.well(200)
    assert _actions([run.see(norm=300.0)]) == [["clip-gradients"]]


def test_what_was_declined_is_not_proposed_again_in_the_window() -> None:
    run = Run()
    policy = run.policy
    facts = Facts(run.step, 0.3, 300.0, 0.1)
    order = policy.judge(facts)
    policy.declined(order.kind, run.step)
    run.step += 1
    run.well(20)
    assert run.see(norm=300.0) is None
    assert _actions([run.see(norm=INF)]) == [["skip-step"]]


def test_who_declines_to_roll_back_still_skips() -> None:
    run = Run()
    run.policy.declined("non-finite/roll-back", run.step)
    assert _actions(run.see(norm=INF) for _ in range(6)) == [["skip-step"]] * 6


def test_roll_backs_can_be_forbidden() -> None:
    run = Run(actions=("skip-step",))
    assert _actions(run.see(norm=INF) for _ in range(6)) == [["skip-step"]] * 6
    assert _actions(run.see(loss=2.0) for _ in range(20)) == [[]] * 20


def test_without_a_loss_gradients_alone_are_judged() -> None:
    policy = Policy(Limits(), losses=False)
    orders = [
        policy.judge(Facts(step, 0.3 if step < 60 else 50.0, 3.0, 0.1)) for step in range(100)
    ]
    assert orders == [None] * 100
    assert _actions([policy.judge(Facts(100, NAN, 300.0, 0.1))]) == [["clip-gradients"]]


def test_a_step_without_gradients_is_nothing() -> None:
    assert Policy(Limits()).judge(Facts(0, 1.0, NAN, 0.1)) is None


def test_layers_that_leapt_are_clipped_unless_something_else_is_to_blame() -> None:
    def order(loss: float = NAN, rate: float = 0.1, **limits: object) -> Order | None:
        run = Run(**limits)
        run.see(rate=rate)
        loss = 0.3 if math.isnan(loss) else loss
        return run.policy.leap({"a": 0.05, "b": 0.1}, Facts(run.step, loss, 3.0, rate))

    given = order()
    assert given is not None
    assert [one.args["layers"] for one in given.remedies] == [{"a": 0.05, "b": 0.1}]
    assert "of `a` and 1 more is 20 times the usual" in given.reason
    assert order(loss=5.0) is None, "the batch"
    assert order(rate=3.0) is None, "the rate"
    assert order(most=0) is None, "enough was done"
    assert Run().policy.leap({}, Facts(200, 0.3, 3.0, 0.1)) is None
