"""When to look: the budget is kept on a simulated clock."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import pairwise

import pytest

from paramedic.probe.schedule import FULL, VITALS, Schedule

MS = 1e-3


@dataclass
class Run:
    """What a simulated training came to."""

    levels: list[str | None] = field(default_factory=list)
    plain: list[float] = field(default_factory=list)
    ours: list[float] = field(default_factory=list)

    def share(self, begin: int = 0, end: int | None = None) -> float:
        return sum(self.ours[begin:end]) / sum(self.plain[begin:end])

    def at(self, level: str) -> list[int]:
        return [step for step, seen in enumerate(self.levels) if seen == level]


def _simulate(
    schedule: Schedule,
    steps: int,
    *,
    step_time: float | Callable[[int], float],
    full: float = 5 * MS,
    vitals: float = 0.5 * MS,
    idle: float = 0.0,
) -> Run:
    """Train for some steps as the loop does, on a clock that only moves when told to."""
    run, costs = Run(), {FULL: full, VITALS: vitals}
    for step in range(steps):
        plain = step_time(step) if callable(step_time) else step_time
        level = schedule.level(step)
        cost = idle if level is None else idle + costs[level]
        if level is None:
            schedule.passed(plain + cost, cost)
        else:
            schedule.looked(step, level, plain + cost, cost)
            schedule.agree(step, level, schedule.plan(step, level))
        run.levels.append(level)
        run.plain.append(plain)
        run.ours.append(cost)
    return run


@pytest.mark.parametrize("overhead", [0.001, 0.01, 0.05])
@pytest.mark.parametrize("step_time", [1 * MS, 100 * MS])
@pytest.mark.parametrize(("full", "vitals"), [(5 * MS, 0.5 * MS), (0.5 * MS, 0.05 * MS)])
def test_the_budget_is_kept(overhead: float, step_time: float, full: float, vitals: float) -> None:
    run = _simulate(Schedule(overhead), 60_000, step_time=step_time, full=full, vitals=vitals)
    steady = run.share(20_000)
    one_more = (full + vitals) / sum(run.plain[20_000:])  # where the run happens to end
    assert steady <= overhead + one_more
    largest = (full + vitals) / step_time  # what there is to spend at a look at every step
    # Not wasted either: whole steps and the longest absence leave the rest unused.
    assert steady >= min(0.3 * overhead, 0.3 * largest) or full / step_time > 60 * overhead


def test_vitals_between_full_looks() -> None:
    run = _simulate(Schedule(0.01), 20_000, step_time=1 * MS)
    full, vitals = run.at(FULL), run.at(VITALS)
    assert len(vitals) > 4 * len(full)
    gaps = [b - a for a, b in pairwise(full[6:])]
    assert gaps
    assert all(gap == pytest.approx(5 / (0.005 * 1), abs=2) for gap in gaps)
    inside = [step for step in vitals if full[6] < step < full[7]]
    assert len(inside) >= 5


def test_the_first_steps_are_always_seen_in_full() -> None:
    run = _simulate(Schedule(1e-6), 200, step_time=1 * MS, full=1.0)
    assert run.levels[:5] == [FULL] * 5
    assert FULL not in run.levels[5:]


def test_without_a_budget_every_step_is_seen() -> None:
    schedule = Schedule(None)
    run = _simulate(schedule, 50, step_time=1e-6, full=1.0, vitals=1.0)
    assert run.levels == [FULL] * 50
    assert schedule.looks == {VITALS: 0, FULL: 50}


def test_with_a_large_budget_every_step_is_seen() -> None:
    run = _simulate(Schedule(1.0), 50, step_time=100 * MS, full=1 * MS)
    assert run.levels == [FULL] * 50


def test_only_vitals_have_all_of_the_budget() -> None:
    run = _simulate(Schedule(0.01, VITALS), 20_000, step_time=1 * MS)
    assert run.levels[:5] == [VITALS] * 5
    assert FULL not in run.levels
    assert 0.008 < run.share(5000) <= 0.0102


def test_what_idle_steps_cost_comes_out_of_the_same_budget() -> None:
    without = _simulate(Schedule(0.01), 40_000, step_time=1 * MS)
    idle = _simulate(Schedule(0.01), 40_000, step_time=1 * MS, idle=5e-6)
    assert idle.share(10_000) <= 0.0104
    assert len(idle.at(FULL)) < 0.7 * len(without.at(FULL))


def test_idle_steps_that_cost_more_than_the_budget_do_not_blind_us() -> None:
    run = _simulate(Schedule(0.01), 40_000, step_time=1 * MS, idle=50e-6)
    looks = sum(cost - 50e-6 for cost in run.ours[10_000:])
    assert 0 < looks / sum(run.plain[10_000:]) <= 0.00102


def test_never_away_for_longer_than_ten_thousand_steps() -> None:
    run = _simulate(Schedule(1e-6), 45_000, step_time=1 * MS, full=10.0, vitals=10.0)
    for level in (FULL, VITALS):
        steps = [4, *(step for step in run.at(level) if step > 4)]
        gaps = [b - a for a, b in pairwise(steps)]
        assert len(gaps) >= 4
        assert max(gaps) <= 10_000


def test_steps_that_become_faster_are_followed() -> None:
    def step_time(step: int) -> float:
        return 100 * MS if step < 5000 else 1 * MS

    run = _simulate(Schedule(0.01), 60_000, step_time=step_time)
    assert run.share(20_000) <= 0.0102
    assert run.share(0, 5000) <= 0.0102


def test_steps_that_become_slower_are_followed() -> None:
    def step_time(step: int) -> float:
        return 1 * MS if step < 5000 else 100 * MS

    run = _simulate(Schedule(0.01), 20_000, step_time=step_time)
    assert 0.005 <= run.share(10_000) <= 0.0102


@pytest.mark.parametrize("slow_steps", [5, 50])
def test_a_slow_start_does_not_spend_the_budget_for_good(slow_steps: int) -> None:
    def step_time(step: int) -> float:
        return 100 * MS if step < slow_steps else 1 * MS

    run = _simulate(Schedule(0.01), 20_000, step_time=step_time, full=0.5 * MS, vitals=0.1 * MS)
    assert run.share(10_000) <= 0.0102


def test_one_slow_look_does_not_change_the_distance() -> None:
    schedule = Schedule(0.01)
    _simulate(schedule, 5000, step_time=1 * MS)
    usual = schedule.plan(5000, FULL)
    schedule.looked(5000, FULL, 1.0, 1.0)
    assert schedule.plan(5000, FULL) == usual


def test_a_distance_that_the_ranks_agreed_on_is_kept() -> None:
    schedule = Schedule(0.01)
    for step in range(5):
        schedule.looked(step, FULL, 6 * MS, 5 * MS)
        schedule.agree(step, FULL, 10)
    schedule.agree(4, VITALS, 20)
    assert [schedule.level(step) for step in (5, 13, 14, 30)] == [None, None, FULL, FULL]


def test_a_full_look_is_not_followed_by_vitals_in_the_same_step() -> None:
    schedule = Schedule(0.5)
    for step in range(6):
        schedule.looked(step, FULL, 6 * MS, 5 * MS)
        schedule.agree(step, FULL, 100)
    assert schedule.level(5) is None
    assert schedule.level(6) == VITALS


def test_looks_are_counted() -> None:
    schedule = Schedule(0.01)
    run = _simulate(schedule, 3000, step_time=1 * MS)
    assert schedule.looks == {FULL: len(run.at(FULL)), VITALS: len(run.at(VITALS))}


def test_what_examining_took_is_paid_for_by_looking_later() -> None:
    schedule = Schedule(0.01)
    for step in range(6):
        schedule.looked(step, FULL, 0.0101, 0.0001)
    schedule.agree(6, FULL, 10)
    schedule.agree(6, VITALS, 5)
    schedule.owe(0.002)  # as much as 20 steps of the budget
    wait = schedule.wait()
    assert wait == pytest.approx(20, abs=1)
    assert schedule.wait() == 0, "it is paid once"
    schedule.agree(6, VITALS, 5, wait)
    assert schedule.level(6 + 5 + wait - 1) is None
    assert schedule.level(6 + 5 + wait) == VITALS
    assert schedule.level(6 + 10 + wait) == FULL, "looks of all levels wait"


def test_nothing_is_owed_without_a_budget() -> None:
    schedule = Schedule(None)
    schedule.looked(0, FULL, 0.01, 0.001)
    schedule.owe(1.0)
    assert schedule.wait() == 0


def test_a_large_debt_does_not_blind_us_for_long() -> None:
    schedule = Schedule(0.01)
    schedule.passed(0.01, 0.0)
    schedule.owe(100.0)
    assert schedule.wait() == 100


def test_who_has_an_allowance_does_not_wait_for_full_looks() -> None:
    schedule = Schedule(0.01, allowance=1.0)
    for step in range(6):
        schedule.looked(step, FULL, 0.0101, 0.0001)
    schedule.agree(6, FULL, 10, wait=30)
    assert schedule.level(16) == FULL


@pytest.mark.parametrize("cost", [0.3 * MS, 1 * MS])
def test_the_budget_is_kept_with_what_epochs_cost(cost: float) -> None:
    schedule, ours, steps = Schedule(0.01), 0.0, 20_000
    for step in range(steps):
        level = schedule.level(step)
        if level is None:
            schedule.passed(5 * MS, 0.0)
        else:
            look = 2 * MS if level == FULL else 0.2 * MS
            ours += look
            schedule.looked(step, level, 5 * MS + look, look)
            schedule.agree(step, level, schedule.plan(step, level), schedule.wait())
        if step % 50 == 49:
            ours += cost
            schedule.owe(cost)
    assert 0.004 < ours / (steps * 5 * MS) <= 0.01
    assert schedule.looks[FULL] > 50


def test_an_allowance_is_spent_on_looks_that_become_rarer() -> None:
    """A loop so fast that a share of its time allows next to no look."""
    looked = {}
    for allowance in (0.0, 1.0):
        schedule, steps = Schedule(0.01, allowance=allowance), []
        for step in range(1000):
            level = schedule.level(step)
            if level is None:
                schedule.passed(1e-4, 0.0)
                continue
            cost = 1e-2 if level == FULL else 1e-3
            schedule.looked(step, level, 1e-4 + cost, cost)
            schedule.paid(cost)
            schedule.agree(step, level, schedule.plan(step, level))
            if level == FULL:
                steps.append(step)
        looked[allowance] = steps
    assert len(looked[0.0]) < 10
    distances = [b - a for a, b in pairwise(looked[1.0])]
    assert len(distances) > 50
    assert distances[:20] == [1] * 20
    assert max(distances[:60]) <= 1000 // 16


def test_an_alert_makes_the_next_steps_looked_at() -> None:
    schedule = Schedule(0.01)
    for step in range(5):
        schedule.looked(step, FULL, 0.01, 0.001)
        schedule.agree(step, FULL, 1000)
        schedule.agree(step, VITALS, 1000)
    assert schedule.level(10) is None
    assert schedule.alert(10)
    levels = []
    for step in range(10, 16):
        levels.append(schedule.level(step))
        if levels[-1]:
            schedule.looked(step, FULL, 0.01, 0.001)
    assert levels == [FULL] * 3 + [None] * 3


def test_a_storm_of_alerts_keeps_to_the_budget() -> None:
    """The first one is looked at at once, and the others as they can be paid for."""
    schedule, cost, plain = Schedule(0.01), 0.001, 0.01
    for step in range(5):
        schedule.looked(step, FULL, plain + cost, cost)
        schedule.agree(step, FULL, schedule.plan(step, FULL))
    looked, taken = [], []
    for step in range(5, 5000):
        level = schedule.level(step)
        if schedule.alert(step):
            taken.append(step)
            level = level or VITALS
        if level:
            looked.append(step)
            schedule.looked(step, level, plain + cost, cost)
            schedule.agree(step, level, schedule.plan(step, level), schedule.wait())
        else:
            schedule.passed(plain, 0.0)
    assert taken[0] == 5
    assert looked[:3] == [5, 6, 7]
    assert len(taken) > 10
    assert len(looked) * cost <= 1.1 * 0.01 * plain * 5000 + 5 * cost


def test_glances_keep_to_their_share_of_the_budget() -> None:
    schedule = Schedule(0.01)
    assert schedule.stride == 1
    for _ in range(31):
        schedule.passed(0.01, 0.0)
        schedule.glanced(200e-6)
    assert schedule.stride == 4, "200 microseconds of 60 that a step may cost"


def test_glances_are_rare_where_noting_losses_uses_the_budget_up() -> None:
    schedule = Schedule(0.01)
    for _ in range(31):
        schedule.passed(0.001, 9e-6)
        schedule.glanced(30e-6)
    assert schedule.stride > 20
