"""Going back to a good state, bit for bit."""

from __future__ import annotations

import copy
from typing import Any

import pytest
import torch
import torch.nn.functional as F
from torch import nn

from paramedic.treat.snapshot import Snapshots


def _model() -> nn.Module:
    return nn.Sequential(nn.Linear(4, 8), nn.BatchNorm1d(8), nn.Dropout(0.3), nn.Linear(8, 2))


def _train(model: nn.Module, optimizer: Any, steps: range) -> None:
    for step in steps:
        generator = torch.Generator().manual_seed(step)
        optimizer.zero_grad()
        F.mse_loss(model(torch.randn(6, 4, generator=generator)), torch.ones(6, 2)).backward()
        optimizer.step()


def _state(model: nn.Module, optimizer: Any) -> Any:
    return copy.deepcopy((model.state_dict(), optimizer.state_dict()["state"]))


def _same(one: Any, other: Any) -> bool:
    if isinstance(one, torch.Tensor):
        return torch.equal(one, other)
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(_same(one[key], other[key]) for key in one)
    if isinstance(one, list | tuple):
        return len(one) == len(other) and all(map(_same, one, other))
    return bool(one == other)


@pytest.mark.parametrize("kind", [torch.optim.AdamW, torch.optim.SGD, torch.optim.Adagrad])
def test_going_back_and_on_again(kind: Any) -> None:
    model = _model()
    optimizer = kind(model.parameters(), lr=0.05)
    snapshots = Snapshots({"": model}, [optimizer])
    _train(model, optimizer, range(5))
    before = _state(model, optimizer)
    snapshots.take(5)
    assert _same(before, _state(model, optimizer))
    _train(model, optimizer, range(5, 9))
    after = _state(model, optimizer)
    assert not _same(before, after)
    snapshots.before(5).restore(random=True)
    assert _same(before, _state(model, optimizer))
    _train(model, optimizer, range(5, 9))  # the same random masks again
    assert _same(after, _state(model, optimizer))


def test_one_between_two_does_not_drive_out_the_old_one() -> None:
    model = _model()
    snapshots = Snapshots({"": model}, [torch.optim.SGD(model.parameters(), lr=0.1)])
    for step in (90, 100):
        snapshots.take(step)
    snapshots.take(103, between=True)
    found = [snapshots.before(step) for step in (89, 99, 102, 103)]
    assert [one and one.step for one in found] == [None, 90, 90, 103]
    snapshots.take(113)
    assert snapshots.before(102) is None, "those that come in time drive out the oldest"


def test_random_streams_go_on_unless_asked() -> None:
    model = _model()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    snapshots = Snapshots({"": model}, [optimizer])
    state = torch.get_rng_state()
    snapshots.take(0)
    assert torch.equal(state, torch.get_rng_state())
    first = torch.rand(3)
    snapshots.before(0).restore(random=False)
    assert not torch.equal(first, torch.rand(3))
    snapshots.before(0).restore(random=True)
    assert torch.equal(first, torch.rand(3))


def test_two_are_kept_and_memory_is_used_again() -> None:
    model = _model()
    optimizer = torch.optim.AdamW(model.parameters(), lr=0.05)
    snapshots = Snapshots({"": model}, [optimizer])
    pointers, states = [], []
    for step in range(4):
        _train(model, optimizer, range(step, step + 1))
        states.append(_state(model, optimizer))
        snapshots.take(step)
        pointers.append(snapshots.before(step).parameters[0][1].data_ptr())
        assert len(snapshots) == min(step + 1, 2)
    assert pointers[0] == pointers[2]
    assert pointers[1] == pointers[3]
    assert snapshots.before(1) is None
    for step in (3, 2):
        snapshots.before(step).restore(random=False)
        assert _same(states[step], _state(model, optimizer))
    snapshots.forget_after(2)
    assert snapshots.before(9).step == 2


def test_back_to_before_the_first_step() -> None:
    model = _model()
    optimizer = torch.optim.AdamW(model.parameters(), lr=0.05)
    snapshots = Snapshots({"": model}, [optimizer])
    before = _state(model, optimizer)
    snapshots.take(0)
    _train(model, optimizer, range(3))
    snapshots.before(0).restore(random=False)
    assert _same(before, _state(model, optimizer))
    assert not optimizer.state


def test_rates_and_schedules_are_not_set_back() -> None:
    model = _model()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    snapshots = Snapshots({"": model}, [optimizer])
    snapshots.take(0)
    optimizer.param_groups[0]["lr"] = 0.01
    snapshots.before(0).restore(random=False)
    assert optimizer.param_groups[0]["lr"] == 0.01


def test_a_scaler_is_part_of_it() -> None:
    model = _model()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    scaler = torch.amp.GradScaler("cpu", init_scale=8.0)
    scaler.scale(model(torch.ones(2, 4)).sum()).backward()
    snapshots = Snapshots({"": model}, [optimizer])
    snapshots.take(0, scaler)
    for one in model.parameters():
        one.grad.fill_(float("inf"))
    scaler.step(optimizer)
    scaler.update()
    assert scaler.get_scale() == 4.0
    snapshots.before(0).restore(random=False)
    assert scaler.get_scale() == 8.0


def test_nested_states() -> None:
    """LBFGS keeps lists of directions."""
    model = nn.Linear(3, 1)
    optimizer = torch.optim.LBFGS(model.parameters(), lr=0.1)

    def closure() -> torch.Tensor:
        optimizer.zero_grad()
        loss = model(torch.eye(3)).pow(2).sum()
        loss.backward()
        return loss

    snapshots = Snapshots({"": model}, [optimizer])
    for _ in range(3):  # the third writes over the first
        optimizer.step(closure)
        before = _state(model, optimizer)
        snapshots.take(0)
    optimizer.step(closure)
    snapshots.before(0).restore(random=False)
    assert _same(before, _state(model, optimizer))
