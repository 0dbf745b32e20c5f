"""Training a plan: the same numbers each time, stretch by stretch or after a break."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import nn

from paramedic.treat import checkpoint
from paramedic.treat.training import Point, Training, evaluate
from tests.treat.plans import network, plan, points


def _weights(training: Training) -> list[float]:
    return [value for one in training.model.parameters() for value in one.flatten().tolist()]


def _dropout() -> nn.Module:
    model = network()
    assert isinstance(model, nn.Sequential)
    return nn.Sequential(*list(model)[:2], nn.Dropout(0.3), *list(model)[2:])


def test_stretches_are_the_same_as_one_go() -> None:
    made = plan(model=_dropout(), epochs=2)
    whole, parts = Training(made), Training(made)
    whole.advance(32)
    for until in (5, 16, 17, 32):
        parts.advance(until)
    assert _weights(whole) == _weights(parts)
    assert [point.step for point in whole.points] == [16, 32]


def test_watching_changes_nothing_and_the_random_numbers_are_left_alone() -> None:
    made = plan(model=_dropout(), epochs=1)
    torch.manual_seed(3)
    Training(made).advance(16)
    drawn = torch.rand(1)
    torch.manual_seed(3)
    assert torch.equal(drawn, torch.rand(1))


@pytest.mark.parametrize(
    "changes",
    [
        {"optimizer": (torch.optim.Adam, {"lr": 0.01})},
        {"optimizer": (torch.optim.SGD, {"lr": 0.1, "momentum": 0.9})},
        {"scheduler": (torch.optim.lr_scheduler.StepLR, {"step_size": 1, "gamma": 0.5})},
        {"warmup": 20},
        {"clip_norm": 0.1, "clip_value": 0.05},
    ],
    ids=lambda changes: "-".join(changes),
)
def test_a_training_goes_on_from_its_checkpoint(tmp_path: Path, changes: dict[str, Any]) -> None:
    made = plan(model=_dropout(), epochs=2, **changes)
    whole, first = Training(made), Training(made)
    whole.advance(32)
    first.advance(21)
    first.save(tmp_path / "state.safetensors")
    second = Training(made, state=checkpoint.load(tmp_path / "state.safetensors"))
    assert second.step == 21
    second.advance(32)
    assert _weights(second) == _weights(whole)
    assert second.points == whole.points


def test_after_a_break_the_losses_before_it_are_known(tmp_path: Path) -> None:
    made = plan(epochs=3)
    first = Training(made)
    first.advance(20)
    first.save(tmp_path / "state.safetensors")
    second = Training(made, state=checkpoint.load(tmp_path / "state.safetensors"))
    second.advance(24)
    first.advance(24)
    before, after = first.monitor.window(), second.monitor.window()
    assert list(before.pulse.loss) == pytest.approx(list(after.pulse.loss))
    assert before.series("val_loss").tolist() == after.series("val_loss").tolist()
    assert after.last_step == 3


def test_it_stops_when_told_to() -> None:
    training = Training(plan())
    training.advance(96, stops=lambda one: one.step == 7)
    assert training.step == 7
    assert not training.ended


def test_it_ends_with_the_plan() -> None:
    training = Training(plan(epochs=1))
    training.advance(10**6)
    assert training.step == 16
    assert training.ended


def test_a_healthy_plan_has_no_finding_and_gets_better() -> None:
    training = Training(plan(epochs=10))
    training.advance(160)
    training.close()
    assert training.findings == ()
    assert training.points[-1].metric > 0.9
    assert training.progress > 0.5


def test_a_sick_plan_has_one_early() -> None:
    sick = plan(optimizer=(torch.optim.SGD, {"lr": 1e-7}), epochs=20)
    training = Training(sick)
    training.advance(320, stops=lambda one: one.finding is not None)
    assert training.finding is not None
    assert training.finding.slug == "learning-rate-too-low"
    assert training.step < 64


def test_a_loss_that_raises_is_a_finding() -> None:
    x, y = points()
    training = Training(plan(train=(x, y + 1)))
    training.advance(96)
    assert training.ended
    assert training.failure is not None
    assert training.finding is not None
    assert training.finding.slug == "invalid-labels"


def test_clipping_and_warming_up_are_done() -> None:
    made = plan(optimizer=(torch.optim.SGD, {"lr": 1.0}), warmup=4, clip_value=1e-3)
    training = Training(made)
    before = _weights(training)
    training.advance(1)
    moved = max(abs(one - other) for one, other in zip(before, _weights(training), strict=True))
    assert moved == pytest.approx(0.25e-3, rel=1e-3)
    assert training.optimizer.param_groups[0]["lr"] == 1.0


def test_overfitting_counts_only_where_the_metric_suffers() -> None:
    noisy = points(64, seed=3)[0], torch.randint(2, (64,), generator=torch.Generator())
    made = plan(
        model=network(width=64), train=noisy, validation=points(64, 4), epochs=60, batch_size=32
    )
    training = Training(made)
    training.advance(made.steps)
    found = {finding.slug for finding in training.monitor.current().findings}
    assert "overfitting" in found
    best = max(point.metric for point in training.points)
    suffers = best - training.points[-1].metric > 2 * 0.0625  # its noise on 64 samples
    assert ("overfitting" in {one.slug for one in training.findings}) == suffers


def test_evaluation_weighs_batches_by_their_size() -> None:
    made = plan(validation=points(300, seed=2))
    model = made.build_model()
    loss, metric = evaluate(model, made, made.batches[1])
    x, y = points(300, seed=2)
    with torch.no_grad():
        expected = nn.functional.cross_entropy(model(x), y)
    assert loss == pytest.approx(float(expected), rel=1e-5)
    assert metric == pytest.approx(float((model(x).argmax(1) == y).float().mean()))
    assert model.training


def test_a_point_survives_json() -> None:
    point = Point(3, 0.5, 1.0, math.nan, 0.5)
    back = Point.from_json(point.to_json())
    assert (back.step, back.epoch, back.metric) == (3, 0.5, 0.5)
    assert math.isnan(back.val_loss)
