"""Scores: what runs before what does not, what cured before what did not, then how good it is."""

from __future__ import annotations

import math
from types import SimpleNamespace
from typing import Any

from torch import nn

from paramedic.treat.heal.scoring import (
    LOST,
    comparable,
    has_lost_its_best,
    left,
    levelled,
    not_worse,
    score,
    slower,
    thrives,
    tolerance,
)
from paramedic.treat.measure import measure
from paramedic.types import Severity
from tests.treat.heal.legs import attempt, finding, leg
from tests.treat.plans import plan

ACCURACY = measure("accuracy", nn.MSELoss(), None)
LOSS = measure("loss", nn.MSELoss(), None)


def test_the_order() -> None:
    broken = leg(0.9, error="RuntimeError: no")
    sick = leg(0.9, findings=(finding(),))
    other = leg(0.9, findings=(finding("dying-relu"),))
    noted = leg(0.6, findings=(finding("overfitting", Severity.WARNING),))
    worse, better = leg(0.5), leg(0.7)
    ranked = [broken, sick, other, worse, noted, better]
    orders = [score(one, "vanishing-gradient", ACCURACY).order for one in ranked]
    assert not orders[0][0]
    assert not orders[1][1]
    assert orders[2][1]  # the problem is gone,
    assert not orders[2][2]  # but another came in its place
    assert orders == sorted(orders)


def test_where_the_metric_is_level_the_loss_decides() -> None:
    slow, fast = leg(0.5, progress=0.01), leg(0.5, progress=0.5)
    assert score(fast, "x", ACCURACY).order > score(slow, "x", ACCURACY).order
    assert score(leg(0.1), "x", LOSS).order > score(leg(0.2), "x", LOSS).order


def test_what_is_not_finite_does_not_run() -> None:
    assert not score(leg(math.nan), "x", ACCURACY).runs


def test_values_of_two_losses_are_not_compared() -> None:
    accuracy = plan()
    assert comparable(accuracy, accuracy.replace(loss=nn.MSELoss()))
    loss = plan(metric="loss")
    assert comparable(loss, loss.replace(clip_norm=1.0))
    assert not comparable(loss, loss.replace(loss=nn.MSELoss()))


def test_one_guess_is_as_good_as_another() -> None:
    lucky, fast = leg(0.52, progress=0.0), leg(0.48, progress=0.1)
    assert score(lucky, "x", ACCURACY).order > score(fast, "x", ACCURACY).order
    assert score(lucky, "x", ACCURACY, 0.55).order < score(fast, "x", ACCURACY, 0.55).order
    learned = score(leg(0.6), "x", ACCURACY, 0.55)
    assert learned.order > score(fast, "x", ACCURACY, 0.55).order


def test_a_loss_is_told_with_both_metrics() -> None:
    told = slower(leg(0.4, step=32), 0.6)
    assert told.slug == "slow-convergence"
    assert told.step == 32
    assert dict(told.evidence) == {"metric": 0.4, LOST: 0.6}
    assert "0.4, that of the untouched plan 0.6" in told.message


def test_worse_is_more_than_chance() -> None:
    allowed = tolerance(ACCURACY, attempt())
    assert allowed == math.sqrt(0.25 / 128)
    assert not_worse(0.50, 0.53, ACCURACY, allowed)
    assert not not_worse(0.50, 0.60, ACCURACY, allowed)
    assert not_worse(0.5, math.nan, ACCURACY, 0.0)
    assert not not_worse(math.nan, 0.5, ACCURACY, 0.0)
    assert not_worse(0.1, 0.2, LOSS, tolerance(LOSS, attempt()))
    assert not not_worse(0.3, 0.2, LOSS, tolerance(LOSS, attempt()))


def test_a_loss_that_rests_where_something_was_learned_is_nothing_wrong() -> None:
    untouched, changed = attempt(leg(0.5)), attempt(number=1)
    rests, sick = finding("loss-plateau", Severity.WARNING), finding()

    def wrong(metric: float, ended: bool = True) -> set[str]:
        end = leg(metric, ended=ended, findings=(rests, sick))
        return {one.slug for one in left(end, changed, untouched)}

    both = {"loss-plateau", "vanishing-gradient"}
    assert wrong(0.95) == {"vanishing-gradient"}
    assert wrong(0.95, ended=False) == both, "it could still learn"
    assert wrong(0.52) == both, "it only guesses"
    end = leg(0.95, ended=True, findings=(rests,))
    assert left(end, untouched, untouched) == (rests,), "it was not changed"
    good = attempt(leg(0.94))
    assert left(end, changed, good) == (rests,), "the untouched plan is as good"


def _lost(*metrics: float, far: bool = False, **changes: Any) -> bool:
    points = [leg(metric, step=step).point for step, metric in enumerate(metrics)]
    made = plan(**changes)
    best = points[0] if points else None
    for point in points[1:]:
        best = point if best and made.measure.better(point.metric, best.metric) else best
    training = SimpleNamespace(best=best and SimpleNamespace(point=best))
    stub: Any = SimpleNamespace(plan=made, points=points, training=training)
    return has_lost_its_best(stub, far=far)


def test_one_bad_point_is_not_the_end_of_the_best() -> None:
    assert not _lost()
    assert _lost(*[0.9] * 9, 0.6, 0.6, 0.6)
    assert not _lost(*[0.9] * 9, 0.6, 0.9, 0.9), "it comes back"
    assert _lost(*[0.9] * 9, 0.6, 0.6, 0.9), "by chance"


def test_far_is_ten_points_or_a_tenth_of_what_was_gained() -> None:
    assert _lost(*[0.9] * 9, *[0.81] * 3), "beyond chance, on 128 samples"
    assert not _lost(*[0.9] * 9, *[0.81] * 3, far=True)
    assert _lost(*[0.9] * 9, *[0.79] * 3, far=True)
    assert not _lost(*[0.9] * 9, *[0.85] * 3, far=False), "by chance"
    falls = (2.0, *[1.0] * 8)
    assert not _lost(*falls, *[1.05] * 3, far=True, metric="loss")
    assert _lost(*falls, *[1.05] * 3, metric="loss")
    assert _lost(*falls, *[1.15] * 3, far=True, metric="loss")


def test_what_differs_by_luck_is_made_level() -> None:
    slow, lucky, fast = (
        score(leg(0.5, progress=one), "x", ACCURACY, 0.55) for one in (0.02, 0.05, 0.3)
    )
    level = levelled({1: slow, 2: lucky})
    assert level[1].order == level[2].order
    assert lucky.order > slow.order
    clear = levelled({1: slow, 2: fast})
    assert clear[2].order > clear[1].order
    learned = score(leg(0.9, progress=0.05), "x", ACCURACY, 0.55)
    assert levelled({1: slow, 2: learned}) == {1: slow, 2: learned}


def test_what_learns_well() -> None:
    assert thrives(attempt(leg(0.7, progress=0.5)))
    assert not thrives(attempt(leg(0.7, progress=0.1)))
    assert not thrives(attempt(leg(0.5, progress=0.5))), "it guesses"
    assert not thrives(attempt(leg(0.7, progress=0.5, error="RuntimeError: no")))
    assert not thrives(attempt())
