"""A heal: healthy plans left alone, sick ones repaired, what cannot be repaired told."""

from __future__ import annotations

import itertools
import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import torch
from torch import nn

import paramedic
from paramedic.treat.heal import attempt as attempts
from paramedic.treat.heal.attempt import Leg, Watchfulness
from paramedic.treat.heal.healing import _Healing, heal
from paramedic.treat.heal.options import Options
from paramedic.treat.heal.session import Session
from paramedic.treat.training import Best, Point
from tests.treat.doubles import ADAM, HIGH, REFUSES, RELU, USELESS, Change, slow_plan
from tests.treat.heal.legs import TREATMENT, finding, leg
from tests.treat.plans import network, plan, points


def test_a_healthy_plan_is_trained_once_and_left_alone() -> None:
    outcome = heal(plan(epochs=6, remedies=[ADAM, USELESS]))
    assert outcome.status == "healthy"
    assert outcome.cost == 1.0
    assert len(outcome.attempts) == 1
    assert outcome.diff() == ""
    assert outcome.after > 0.9
    assert not outcome.model._forward_hooks


def test_a_sick_plan_is_healed_by_the_remedy_that_helps() -> None:
    outcome = heal(slow_plan(remedies=[REFUSES, USELESS, HIGH, ADAM]))
    assert outcome.status == "healed"
    assert [one.remedy for one in outcome.remedies] == ["adam"]
    assert outcome.problems[0].slug == "learning-rate-too-low"
    assert outcome.after > outcome.before + 0.2
    assert outcome.cost < 2.0  # it is a short plan
    assert "+    optimizer=(torch.optim.Adam" in outcome.diff()
    assert any("refuses does not fit: it has nothing to change" in line for line in outcome.log)
    assert {one.remedy for one in outcome.find(verdict="outrun")} == {"useless", "high-rate"}


def test_the_model_is_the_one_that_was_measured() -> None:
    outcome = heal(slow_plan(remedies=[ADAM]))
    x, y = points(128, seed=1)
    right = (outcome.model(x).argmax(1) == y).float().mean()
    assert float(right) == pytest.approx(outcome.after)


def test_without_a_remedy_it_fails_with_the_best_of_the_history() -> None:
    outcome = heal(slow_plan(epochs=5, remedies=[]))
    assert outcome.status == "failed"
    assert "learning-rate-too-low" in outcome.why
    assert outcome.attempts[0].steps == 80  # trained to its end nevertheless
    assert outcome.cost == 1.0


def test_a_remedy_that_does_not_help_is_not_taken() -> None:
    outcome = heal(slow_plan(epochs=5, remedies=[USELESS]))
    assert outcome.status == "failed"
    assert outcome.remedies == ()
    assert "problem" in outcome.find(remedy="useless")[0].verdict
    assert outcome.attempts[0].verdict == "failed"


def test_a_problem_that_comes_back_gets_the_next_remedy() -> None:
    outcome = heal(slow_plan(remedies=[USELESS, ADAM]), strategy="sequential")
    assert outcome.status == "healed"
    assert outcome.find(remedy="useless")[0].verdict == "the problem came back"
    assert [one.remedy for one in outcome.remedies] == ["adam"]


def test_two_problems_are_treated_one_after_the_other() -> None:
    sick = plan(
        model=network(nn.Sigmoid, depth=6),
        optimizer=(torch.optim.SGD, {"lr": 0.001}),
        epochs=20,
        remedies=[
            Change("relu", RELU.changes, ("vanishing-gradient",)),
            Change("adam", ADAM.changes, ("learning-rate-too-low", "loss-plateau")),
        ],
    )
    outcome = heal(sick)
    assert [one.remedy for one in outcome.remedies] == ["relu", "adam"]
    assert outcome.after > 0.9
    assert "# set model" in outcome.code()


@pytest.mark.parametrize(("untouched", "told"), [(0.9, True), (0.305, False), (0.2, False)])
def test_a_repair_that_is_worse_is_compared_at_the_end_and_treated(
    untouched: float, told: bool
) -> None:
    healing = _Healing(Session(plan(), Options(), None, None))
    changed = healing.session.attempt(plan(), TREATMENT, healing.untouched)
    end = leg(0.3, 96, ended=True)
    for one, legs in (
        (healing.untouched, [leg(0.5), leg(untouched, 96, ended=True)]),
        (changed, [leg(0.3), end]),
    ):
        one.legs, one.points = legs, [each.point for each in legs]
        one.advance(20, Watchfulness())
    changed.advance(96, Watchfulness())
    assert healing._pending(end) is None  # the untouched plan is left as it is
    assert healing.untouched.step == 20
    healing.present = changed
    pending = healing._pending(end)
    assert healing.untouched.step == 96
    assert (pending is not None) is told
    if pending is not None:
        assert pending.evidence["untouched"] == untouched
        healing.accepted.add(pending.slug)
        assert healing._pending(end) is None  # nothing is left to try


def _ended(healing: _Healing, untouched: float, repaired: float, **changes: Any) -> Leg:
    """A heal whose repaired plan and whose untouched plan, when asked for, are at their end."""
    changed = healing.session.attempt(plan(), TREATMENT, healing.untouched)
    first, end = leg(untouched, 96, ended=True, **changes), leg(repaired, 96, ended=True)
    for one, legs in ((healing.untouched, [leg(0.6), first]), (changed, [leg(0.7), end])):
        one.legs, one.points = legs, [each.point for each in legs]
        one.advance(20, Watchfulness())
    changed.advance(96, Watchfulness())
    healing.present = changed
    healing.problems.append(finding())
    return end


@pytest.mark.parametrize(
    ("untouched", "repaired", "progress", "left_alone"),
    [(0.9, 0.88, 0.5, True), (0.9, 0.895, 0.5, False), (0.9, 0.88, 0.1, False)],
    ids=["worse", "not worse by a point", "the untouched plan hardly learns"],
)
def test_what_did_no_harm_is_told_and_left_alone(
    untouched: float, repaired: float, progress: float, left_alone: bool
) -> None:
    healing = _Healing(Session(plan(), Options(), None, None))
    end = _ended(healing, untouched, repaired, progress=progress, findings=(finding(),))
    last = healing._preferred(end)
    assert (healing.present is healing.untouched) is left_alone
    status, why = healing._status(last)
    if left_alone:
        assert status == "healthy"
        assert "did no harm: vanishing-gradient" in why
        assert "0.9, repaired with 0.88" in why
    else:
        assert status == ("healed" if repaired > 0.89 else "failed")


def test_a_plan_that_ends_with_guessing_is_not_healthy() -> None:
    x, _ = points()
    drawn = torch.randint(2, (384,), generator=torch.Generator().manual_seed(0))
    chance = plan(
        model=network(width=4), train=(x, drawn[:256]), validation=(x[:128], drawn[256:]),
        optimizer=(torch.optim.SGD, {"lr": 0.01}), epochs=10, remedies=[],
    )  # fmt: skip
    outcome = heal(chance)
    assert outcome.status == "failed"


def test_good_enough_is_left_alone() -> None:
    outcome = heal(slow_plan(epochs=5, satisfactory=0.1, remedies=[ADAM]))
    assert outcome.status == "healthy"


def test_targets_that_the_loss_cannot_take_are_treated() -> None:
    x, y = points()
    shift = Change("shift", {"train": (x, y)}, ("invalid-labels",))
    outcome = heal(plan(train=(x, y + 1), remedies=[shift]))
    assert outcome.status == "healed"
    assert [one.remedy for one in outcome.remedies] == ["shift"]


def test_a_loss_that_always_raises_fails_in_words() -> None:
    def broken(output: Any, target: Any) -> Any:
        raise RuntimeError("broken")

    outcome = heal(plan(loss=broken, remedies=[]))
    assert outcome.status == "failed"
    assert "RuntimeError: broken" in outcome.why


def test_a_heal_that_was_killed_goes_on_where_it_stopped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sick = slow_plan(remedies=[USELESS, ADAM])
    expected = heal(sick).to_json()
    monkeypatch.setattr(attempts, "_SAVED_EVERY", 0.0)
    trained = 0

    def killer(limit: int) -> Any:
        def step(self: Any, *args: Any) -> None:
            nonlocal trained
            trained += 1
            if trained > limit:
                raise KeyboardInterrupt
            original(self, *args)

        return step

    from paramedic.treat.training import Training

    original = Training._one_step
    for limit in (20, 60, 110):
        monkeypatch.setattr(Training, "_one_step", killer(limit))
        with pytest.raises(KeyboardInterrupt):
            heal(sick, out=tmp_path)
    monkeypatch.setattr(Training, "_one_step", killer(10**6))
    resumed = heal(sick, out=tmp_path).to_json()
    spent = sum(one["steps"] for one in resumed["attempts"])
    assert trained <= spent + 3 * 2  # nothing was trained twice
    for key in ("status", "after", "plan"):
        assert resumed[key] == expected[key], key
    again = heal(sick, out=tmp_path).to_json()
    assert again["after"] == resumed["after"]


def test_what_is_in_the_folder(tmp_path: Path) -> None:
    heal(slow_plan(remedies=[ADAM]), out=tmp_path)
    names = {path.name for path in tmp_path.iterdir()}
    assert {"outcome.json", "plan.py", "plan.diff", "model.safetensors", "heal.json"} <= names
    assert (tmp_path / "attempt-01-adam" / "trace.db").is_file()
    data = json.loads((tmp_path / "outcome.json").read_text())
    assert data["status"] == "healed"
    assert {"metric", "before", "after", "cost", "attempts"} <= set(data)


def _learns_by_heart(**changes: Any) -> paramedic.Plan:
    x, y = points(64, seed=3)
    wrong = torch.rand(64, generator=torch.Generator().manual_seed(0)) < 0.35
    return plan(
        model=network(width=128),
        optimizer=(torch.optim.Adam, {"lr": 0.02}),
        train=(x, torch.where(wrong, 1 - y, y)),
        validation=points(400, seed=4),
        epochs=40,
        batch_size=32,
        **changes,
    )


def _past_its_best(end: float, remedies: list[str] | None = None) -> _Healing:
    """A heal of a plan that was found to learn by heart, and has gone from 0.9 to its end."""
    healing = _Healing(Session(plan(remedies=remedies), Options(), None, None))
    legs = [leg(0.9, 16), leg(end, 96, ended=True, findings=(finding("overfitting"),))]
    healing.untouched.legs, healing.untouched.points = legs, [one.point for one in legs]
    healing.untouched.training.best = Best(legs[0].point, {})
    for one in legs:
        healing.untouched.advance(one.step, Watchfulness())
    healing.accepted.add("overfitting")
    return healing


def test_what_was_lost_in_part_is_told_and_left_alone() -> None:
    healing = _past_its_best(0.81)
    assert not healing._has_learned_by_heart()
    status, why = healing._status(healing.untouched.legs[-1])
    assert status == "healthy"
    assert "0.9 after epoch 1 and 0.81 at the end. It was left alone" in why


def test_what_was_lost_is_given_back_if_it_is_much_or_stopping_is_named() -> None:
    assert _past_its_best(0.75)._has_learned_by_heart()
    assert _past_its_best(0.81, ["stop-early"])._has_learned_by_heart()
    assert not _past_its_best(0.85, ["stop-early"])._has_learned_by_heart()  # by chance


def test_what_guesses_in_the_end_is_not_healthy_though_little_was_lost() -> None:
    healing = _past_its_best(0.55)
    healing.untouched.training.best = Best(leg(0.58, 16).point, {})
    assert not healing._has_learned_by_heart()
    assert healing._status(healing.untouched.legs[-1])[0] == "failed"


def test_what_learns_by_heart_is_stopped_at_its_best() -> None:
    outcome = heal(_learns_by_heart(remedies=["stop-early"]))
    assert outcome.status == "healed"
    assert [one.remedy for one in outcome.remedies] == ["stop-early"]
    assert outcome.cost <= 1.0  # its weights are there already
    assert outcome.after > outcome.before
    assert outcome.plan.epochs < 40
    x, y = points(400, seed=4)
    right = (outcome.model(x).argmax(1) == y).float().mean()
    assert float(right) == pytest.approx(outcome.after)


@pytest.mark.parametrize(("val_loss", "metric", "past"), [
    (2.0, 0.8, True), (1.0, 0.8, False), (2.0, 0.9, False),
])  # fmt: skip
def test_a_changed_plan_is_handed_back_at_its_best(
    val_loss: float, metric: float, past: bool
) -> None:
    healing = _Healing(Session(plan(), Options(), None, None))
    changed = healing.session.attempt(plan(), TREATMENT, healing.untouched)
    best, last = Point(16, 1.0, 0.5, 1.0, 0.9), Point(32, 2.0, 0.1, val_loss, metric)
    changed.points, changed.training.best = [best, last], Best(best, {})
    end = Leg(32, 32, True, last)
    assert not healing._is_past_its_best(end)  # an untouched plan is left as it is
    healing.present = changed
    assert healing._is_past_its_best(end) is past
    assert not healing._is_past_its_best(Leg(32, 32, True, last, findings=(finding(),)))


def test_stopping_early_can_be_forbidden() -> None:
    outcome = heal(_learns_by_heart(remedies=[]))
    assert outcome.problems[0].slug == "overfitting"
    assert outcome.remedies == ()


def test_a_folder_belongs_to_one_plan(tmp_path: Path) -> None:
    heal(plan(epochs=1), out=tmp_path)
    with pytest.raises(ValueError, match="the heal of another plan"):
        heal(plan(epochs=2), out=tmp_path)
    with pytest.raises(ValueError, match="the heal of another strategy"):
        heal(plan(epochs=1), out=tmp_path, strategy="sequential")


def test_workers_come_to_the_same_decision(tmp_path: Path) -> None:
    sick = slow_plan(epochs=8, remedies=[USELESS, HIGH, ADAM])
    outcome = heal(sick, out=tmp_path, workers=2)
    assert outcome.status == "healed"
    assert [one.remedy for one in outcome.remedies] == ["adam"]
    with pytest.raises(ValueError, match="`workers` above 1 and `ray` need `out`"):
        heal(sick, workers=2)


def test_progress_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    # A clock by which every step takes a second: on a fast machine all is over before the first
    # fifth of one is.
    clock = SimpleNamespace(monotonic=itertools.count().__next__)
    monkeypatch.setattr("paramedic.treat.heal.progress.time", clock)
    told: list[Any] = []
    heal(slow_plan(epochs=4, remedies=[ADAM]), progress=told.append)
    assert any(one.news.startswith("found learning-rate-too-low") for one in told)
    assert any(not one.news and one.epochs == 4 for one in told)


@pytest.mark.parametrize(
    ("changes", "message"),
    [({"strategy": "luck"}, "`strategy` must be 'race' or"), ({"workers": 0}, "`workers` must be")],
)
def test_bad_settings_are_told(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        heal(plan(), **changes)


def test_it_cannot_heal_what_it_must_not_watch(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PARAMEDIC", "off")
    with pytest.raises(ValueError, match="PARAMEDIC=off"):
        heal(plan())


def test_the_public_names() -> None:
    assert paramedic.heal is heal
    assert Options().stretch(10, 1000) == 30
    assert Options().stretch(500, 1000) == 80
    assert Options().stretch(1, 100) == 20
