"""Which backward passes and optimizer steps make one turn."""

from __future__ import annotations

import math
import weakref
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torch.optim import SGD, Optimizer
from torch.utils.checkpoint import checkpoint

import paramedic
from paramedic.probe.loop import Loop
from paramedic.probe.monitor import Monitor
from paramedic.types import Event, Task

NAN, INF = float("nan"), float("inf")
RARELY = 1e-9  # of the time: after the first steps nobody looks for a long while


class Seen:
    """What the loop told: through the recorder, since it may tell several steps at once."""

    def __init__(self, monitor: Monitor) -> None:
        self.monitor = monitor

    @property
    def loop(self) -> Loop:
        return self.monitor._loop

    def losses(self) -> list[float]:
        pulse = self.monitor.window().pulse
        assert pulse.step.tolist() == list(range(len(pulse)))
        return pulse.loss.tolist()

    def turns(self) -> int:
        return len(self.losses())

    def looked(self) -> list[int]:
        return self.monitor.window().steps.tolist()

    def scalar(self, name: str) -> list[float]:
        return self.monitor.window().scalar(name).tolist()

    def origins(self) -> list[Event]:
        return [event for event in self.monitor.window().events if event.kind == "non-finite"]


@contextmanager
def _watched(model: Any, *optimizers: Optimizer, **settings: Any) -> Iterator[Seen]:
    settings = {"overhead": None, "strict": True, **settings}
    with paramedic.watch(model, list(optimizers), **settings) as monitor:
        yield Seen(monitor)


def _model() -> nn.Sequential:
    torch.manual_seed(0)
    return nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 2))


def _loss(model: nn.Module, seed: int = 0) -> Tensor:
    x = torch.randn(5, 3, generator=torch.Generator().manual_seed(seed))
    return model(x).pow(2).mean()


def _norm(model: nn.Module) -> float:
    grads = [p.grad for p in model.parameters() if p.grad is not None]
    return math.sqrt(sum(float(grad.double().pow(2).sum()) for grad in grads))


def _train(model: nn.Module, optimizer: Optimizer, steps: int, first: int = 0) -> list[float]:
    losses = []
    for step in range(first, first + steps):
        optimizer.zero_grad()
        loss = _loss(model, step)
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses


# -- one optimizer ---------------------------------------------------------------------------


@pytest.mark.parametrize("overhead", [None, RARELY])
def test_every_step_is_one_turn(overhead: float | None) -> None:
    model = _model()
    optimizer = SGD(model.parameters(), lr=0.1)
    with _watched(model, optimizer, overhead=overhead) as seen:
        losses = _train(model, optimizer, 12)
        assert seen.losses() == pytest.approx(losses)
        assert seen.loop.step == 12
        assert seen.looked()[:5] == [0, 1, 2, 3, 4]
        assert len(seen.looked()) == 12 if overhead is None else len(seen.looked()) <= 7


@pytest.mark.parametrize("overhead", [None, RARELY])
def test_batches_are_counted(overhead: float | None) -> None:
    """The number of the batch in the event of a NaN is that of the backward pass."""
    model = _model()
    optimizer = SGD(model.parameters(), lr=0.0)
    with _watched(model, optimizer, overhead=overhead) as seen:
        for step in range(10):
            for micro in range(3):
                _loss(model, 3 * step + micro).backward()
            optimizer.step()
        assert seen.losses()[-1] > 0
        _bad_step(model, optimizer)
        (event,) = seen.origins()
    assert (event.data["step"], event.data["batch"]) == (10, 30)


def test_what_is_read_at_a_look_and_what_not_in_between() -> None:
    model = _model()
    optimizer = SGD(model.parameters(), lr=0.1)
    with _watched(model, optimizer, overhead=RARELY) as seen:
        _train(model, optimizer, 10)
        window = seen.monitor.window()
    assert len(window.pulse) == 10
    assert len(window) < 10
    assert np.isfinite(window.layer("update_ratio")[:5, [0, 2]]).all()
    assert (np.diff(window.steps) > 0).all()


def test_nothing_is_seen_after_detaching() -> None:
    model = _model()
    optimizer = SGD(model.parameters(), lr=0.1)
    backward = torch.autograd.backward
    with _watched(model, optimizer) as seen:
        _train(model, optimizer, 2)
    _train(model, optimizer, 2)
    assert seen.turns() == 2
    assert torch.autograd.backward is backward
    assert not optimizer._optimizer_step_pre_hooks
    assert not optimizer._optimizer_step_post_hooks


def test_a_step_without_a_backward_pass() -> None:
    model = _model()
    optimizer = SGD(model.parameters(), lr=0.1)
    with _watched(model, optimizer) as seen:
        _loss(model).backward()
        optimizer.step()
        optimizer.step()
        assert seen.scalar("backwards") == [1.0, 0.0]
        assert seen.scalar("grad_raw") == [1.0, 0.0]
        assert np.isnan(seen.losses()).tolist() == [False, True]


def test_backward_passes_without_a_step_are_no_turn() -> None:
    model = _model()
    optimizer = SGD(model.parameters(), lr=0.1)
    with _watched(model, optimizer) as seen:
        for _ in range(3):
            _loss(model).backward()
        seen.monitor.epoch(val_loss=1.0)
        assert seen.turns() == 0
        assert seen.loop.batches == 3
        optimizer.step()
        assert seen.scalar("backwards") == [3.0]


@pytest.mark.parametrize("overhead", [None, RARELY])
def test_an_error_in_the_users_backward_pass_is_forgotten(overhead: float | None) -> None:
    model = _model()
    optimizer = SGD(model.parameters(), lr=0.1)
    with _watched(model, optimizer, overhead=overhead) as seen:
        losses = _train(model, optimizer, 8)
        optimizer.zero_grad()
        loss = _loss(model)
        loss.backward()
        with pytest.raises(RuntimeError, match="second time"):
            loss.backward()
        optimizer.step()
        losses += [loss.item(), *_train(model, optimizer, 1, first=1)]
        assert seen.losses() == pytest.approx(losses)


@pytest.mark.parametrize("overhead", [None, RARELY])
def test_a_loss_that_is_handed_in(overhead: float | None) -> None:
    model = _model()
    optimizer = SGD(model.parameters(), lr=0.1)
    with _watched(model, optimizer, overhead=overhead) as seen:
        for step in range(10):
            _loss(model, step).backward()
            if step % 2:
                seen.monitor.step(float(step))
            optimizer.step()
            if not step % 2:
                seen.monitor.step(float(step))
        assert seen.losses() == [float(step) for step in range(10)]


# -- accumulation ----------------------------------------------------------------------------


@pytest.mark.parametrize("overhead", [None, RARELY])
def test_several_backward_passes_make_one_turn(overhead: float | None) -> None:
    model = _model()
    optimizer = SGD(model.parameters(), lr=0.1)
    sums, norms = [], []
    with _watched(model, optimizer, overhead=overhead) as seen:
        for step in range(9):
            optimizer.zero_grad()
            losses = [_loss(model, 4 * step + micro) for micro in range(3)]
            for loss in losses:
                loss.backward()
            sums.append(sum(loss.item() for loss in losses))
            norms.append(_norm(model))
            optimizer.step()
        assert seen.losses() == pytest.approx(sums)
        assert set(seen.scalar("backwards")) == {3.0}
        looked = seen.looked()
        assert seen.scalar("grad_norm") == pytest.approx([norms[at] for at in looked], rel=1e-6)
        assert seen.monitor.chart.accumulate == 3


def test_accumulation_that_was_announced_is_right_from_the_first_step() -> None:
    """Without being told, the first group is read as it is when the optimizer steps."""
    model = _model()
    optimizer = SGD(model.parameters(), lr=0.1)
    with _watched(model, optimizer, accumulate=2) as seen:
        for micro in range(2):
            _loss(model, micro).backward()
        true = _norm(model)
        nn.utils.clip_grad_norm_(model.parameters(), 1e-3)
        optimizer.step()
        assert seen.scalar("grad_norm") == pytest.approx([true], rel=1e-6)
        assert seen.scalar("grad_raw") == [1.0]


@pytest.mark.parametrize("overhead", [None, RARELY])
def test_several_losses_in_one_call(overhead: float | None) -> None:
    model = _model()
    optimizer = SGD(model.parameters(), lr=0.1)
    sums = []
    with _watched(model, optimizer, overhead=overhead) as seen:
        for _ in range(8):
            first, second = _loss(model, 0), _loss(model, 1)
            torch.autograd.backward([first, second])
            optimizer.step()
            sums.append(first.item() + second.item())
        assert seen.losses() == pytest.approx(sums)
        assert set(seen.scalar("backwards")) == {1.0}


@pytest.mark.parametrize("overhead", [None, RARELY])
def test_a_closure_that_is_called_often_is_one_turn(overhead: float | None) -> None:
    model = _model()
    optimizer = torch.optim.LBFGS(model.parameters(), max_iter=4)
    calls: list[list[float]] = []

    def closure() -> Tensor:
        optimizer.zero_grad()
        loss = _loss(model)
        loss.backward()
        calls[-1].append(loss.item())
        return loss

    with _watched(model, optimizer, overhead=overhead) as seen:
        for _ in range(8):
            calls.append([])
            optimizer.step(closure)
        assert len(calls[0]) > 1
        assert seen.losses() == pytest.approx([losses[0] for losses in calls])
        assert set(seen.scalar("backwards")) == {1.0}
        assert seen.loop.batches == sum(len(losses) for losses in calls)


# -- several optimizers ----------------------------------------------------------------------


def _halves(model: nn.Sequential) -> tuple[Optimizer, Optimizer]:
    return SGD(model[0].parameters(), lr=0.1), SGD(model[2].parameters(), lr=0.1)


@pytest.mark.parametrize("overhead", [None, RARELY])
def test_a_turn_ends_when_all_optimizers_have_stepped(overhead: float | None) -> None:
    model = _model()
    first, second = _halves(model)
    losses = []
    with _watched(model, first, second, overhead=overhead) as seen:
        for step in range(8):
            model.zero_grad()
            loss = _loss(model, step)
            loss.backward()
            first.step()
            assert seen.turns() == step
            second.step()
            assert seen.turns() == step + 1
            losses.append(loss.item())
        assert seen.losses() == pytest.approx(losses)


def test_a_turn_ends_when_the_next_backward_pass_begins() -> None:
    model = _model()
    first, second = _halves(model)
    with _watched(model, first, second) as seen:
        for step in range(4):
            model.zero_grad()
            _loss(model, step).backward()
            (first, second)[step % 2].step()
        assert seen.turns() == 3
        seen.monitor.epoch(val_loss=1.0)
        assert seen.turns() == 4
        seen.monitor.epoch(val_loss=1.0)
        assert seen.turns() == 4
        used = np.isfinite(seen.monitor.window().layer("grad_norm")[:, [0, 2]])
    assert used.tolist() == [[True, False], [False, True]] * 2


def test_a_turn_ends_when_an_optimizer_steps_again() -> None:
    model = _model()
    first, second = _halves(model)
    with _watched(model, first, second) as seen:
        _loss(model).backward()
        first.step()
        first.step()
        assert seen.turns() == 1
        second.step()
        assert seen.turns() == 2


def test_gradients_are_read_once_for_both_optimizers() -> None:
    model = _model()
    first, second = _halves(model)
    with _watched(model, first, second) as seen:
        _loss(model).backward()
        true = _norm(model)
        first.step()
        model[2].weight.grad.mul_(100)
        second.step()
        assert seen.scalar("grad_norm") == pytest.approx([true], rel=1e-6)


@pytest.mark.parametrize("overhead", [None, RARELY])
def test_every_turn_of_alternating_optimizers_has_its_loss(overhead: float | None) -> None:
    left, right = _model(), _model()
    optimizers = SGD(left.parameters(), lr=0.1), SGD(right.parameters(), lr=0.1)
    losses = []
    with _watched({"left": left, "right": right}, *optimizers, overhead=overhead) as seen:
        for step in range(20):
            model, optimizer = (left, right)[step % 2], optimizers[step % 2]
            losses += _train(model, optimizer, 1, first=step)
        seen.monitor.epoch(val_loss=1.0)
        assert seen.losses() == pytest.approx(losses)


# -- activation checkpointing ----------------------------------------------------------------


def test_a_recomputed_forward_pass_is_no_forward_pass() -> None:
    """What is computed again on the way back is not collected for this turn, nor for the next."""

    class Checkpointed(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            torch.manual_seed(0)
            self.inner, self.last, self.plain = nn.Linear(3, 4), nn.Linear(4, 2), False
            self.runs = 0

        def _first(self, x: Tensor) -> Tensor:
            self.runs += 1
            return self.inner(x).tanh()

        def forward(self, x: Tensor) -> Tensor:
            if self.plain:
                return self.last(self._first(x))
            return self.last(checkpoint(self._first, x, use_reentrant=False))

    def run(plain: bool) -> tuple[np.ndarray, int, tuple[str, ...]]:
        model = Checkpointed()
        model.plain = plain
        optimizer = SGD(model.parameters(), lr=0.1)
        with _watched(model, optimizer) as seen:
            _train(model, optimizer, 4)
            window = seen.monitor.window()
            assert not seen.loop._tap.calls  # nothing is held from one turn to the next
        return window.layer("act_mean"), model.runs, window.names

    means, runs, names = run(plain=False)
    expected, plain_runs, plain_names = run(plain=True)
    assert (runs, plain_runs) == (8, 4)  # twice by torch, never by us
    assert names == plain_names
    assert means == pytest.approx(expected, rel=1e-6, nan_ok=True)
    assert np.isfinite(means).all()


# -- somebody else ---------------------------------------------------------------------------


@pytest.mark.parametrize("overhead", [None, RARELY])
def test_somebody_elses_backward_pass_is_ignored(overhead: float | None) -> None:
    model, other = _model(), _model()
    optimizer = SGD(model.parameters(), lr=0.1)
    losses = []
    with _watched(model, optimizer, overhead=overhead) as seen:
        for step in range(8):
            (_loss(other) * 100).backward()
            losses += _train(model, optimizer, 1, first=step)
            (_loss(other) * 100).backward()
        assert seen.losses() == pytest.approx(losses)
        assert set(seen.scalar("backwards")) == {1.0}


def test_gradients_that_are_still_there_at_somebody_elses_backward_pass() -> None:
    """MAML: tasks are trained on a copy, then the outer gradients are cleared and handed over."""
    model, other = _model(), _model()
    optimizer = SGD(model.parameters(), lr=0.1)
    with _watched(model, optimizer) as seen:
        for step in range(4):
            _loss(other, step).backward()
            optimizer.zero_grad()
            _loss(model, step).backward()
            optimizer.step()
        for step in range(4):
            _loss(other, step).backward()
            optimizer.zero_grad()
            for parameter, one in zip(model.parameters(), other.parameters(), strict=True):
                parameter.grad = torch.ones_like(one)
            optimizer.step()
        assert 1.0 not in seen.scalar("grad_carried")


def test_somebody_elses_optimizer_is_ignored() -> None:
    model, other = _model(), _model()
    optimizer, theirs = SGD(model.parameters(), lr=0.1), SGD(other.parameters(), lr=0.1)
    scaler = torch.amp.GradScaler("cpu", init_scale=4.0)
    with _watched(model, optimizer) as seen:
        _loss(model).backward()
        scaler.scale(_loss(other)).backward()
        scaler.step(theirs)
        scaler.update()
        assert seen.turns() == 0
        optimizer.step()
        assert seen.scalar("scale") == [1.0]


@pytest.mark.parametrize("overhead", [None, RARELY])
def test_somebody_elses_nan_is_not_our_event(overhead: float | None) -> None:
    model, other = _model(), _model()
    optimizer = SGD(model.parameters(), lr=0.1)
    with _watched(model, optimizer, overhead=overhead) as seen:
        for step in range(8):
            (_loss(other) * NAN).backward()
            _train(model, optimizer, 1, first=step)
        assert seen.origins() == []
        assert np.isfinite(seen.losses()).all()


def test_somebody_elses_loss_does_not_tell_our_task() -> None:
    model, other = _model(), _model()
    optimizer = SGD(model.parameters(), lr=0.1)
    with _watched(model, optimizer) as seen:
        for _ in range(2):
            F.mse_loss(other(torch.ones(4, 3)), torch.zeros(4, 2)).backward()
            optimizer.zero_grad()
            F.cross_entropy(model(torch.ones(4, 3)), torch.tensor([0, 1, 0, 1])).backward()
            optimizer.step()
        chart = seen.monitor.chart
    assert (chart.task, chart.loss) == (Task.MULTI_CLASS, "cross-entropy")


def test_somebody_elses_backward_between_our_forward_and_ours() -> None:
    model, other = _model(), _model()
    optimizer = SGD(model.parameters(), lr=0.1)
    with _watched(model, optimizer) as seen:
        for _ in range(2):
            optimizer.zero_grad()
            loss = _loss(model)
            _loss(other).backward()
            loss.backward()
            optimizer.step()
        assert np.isfinite(seen.monitor.window().layer("act_mean")).all()


# -- gradient scalers ------------------------------------------------------------------------


@pytest.mark.parametrize("overhead", [None, RARELY])
def test_a_skipped_step_is_a_turn(overhead: float | None) -> None:
    model = _model()
    optimizer = SGD(model.parameters(), lr=0.1)
    scaler = torch.amp.GradScaler("cpu", init_scale=8.0, growth_interval=1000)
    losses = []
    with _watched(model, optimizer, overhead=overhead) as seen:
        for step in range(10):
            optimizer.zero_grad()
            loss = _loss(model, step)
            scaler.scale(loss).backward()
            losses.append(loss.item())
            if step in (3, 8):
                model[0].weight.grad[0, 0] = INF
            scaler.step(optimizer)
            scaler.update()
        assert seen.losses() == pytest.approx(losses)
        skipped = seen.monitor.window().pulse.skipped
        assert np.flatnonzero(skipped).tolist() == [3, 8]
        assert seen.scalar("scale")[:5] == [8.0] * 4 + [4.0]


def test_a_scaler_that_comes_late() -> None:
    """A loop that looked plain turns out not to be."""
    model = _model()
    optimizer = SGD(model.parameters(), lr=0.1)
    scaler = torch.amp.GradScaler("cpu", init_scale=8.0, growth_interval=1000)
    with _watched(model, optimizer, overhead=RARELY) as seen:
        losses = _train(model, optimizer, 10)
        for step in range(10, 14):
            optimizer.zero_grad()
            loss = _loss(model, step)
            scaler.scale(loss).backward()
            losses.append(loss.item())
            if step == 12:
                model[0].weight.grad.fill_(INF)
            scaler.step(optimizer)
            scaler.update()
        assert seen.losses() == pytest.approx(losses)
        assert np.flatnonzero(seen.monitor.window().pulse.skipped).tolist() == [12]


def test_a_scaler_with_two_optimizers() -> None:
    model = _model()
    first, second = _halves(model)
    scaler = torch.amp.GradScaler("cpu", init_scale=8.0)
    with _watched(model, first, second) as seen:
        for step in range(3):
            model.zero_grad()
            scaler.scale(_loss(model, step)).backward()
            if step == 1:
                model[2].weight.grad[0, 0] = INF
            scaler.step(first)
            assert seen.turns() == step
            scaler.step(second)
            scaler.update()
        assert seen.scalar("skipped") == [0.0, 1.0, 0.0]


# -- origins ---------------------------------------------------------------------------------


def _bad_step(model: nn.Module, optimizer: Optimizer) -> None:
    """A batch with a NaN whose gradient is thrown away."""
    optimizer.zero_grad()
    (model(torch.full((2, 3), NAN)).sum()).backward()
    optimizer.zero_grad(set_to_none=True)
    optimizer.step()


@pytest.mark.parametrize("overhead", [None, RARELY])
def test_a_run_that_stays_lost_is_traced_once(overhead: float | None) -> None:
    model = _model()
    optimizer = SGD(model.parameters(), lr=0.0)
    with _watched(model, optimizer, overhead=overhead) as seen:
        _train(model, optimizer, 8)
        for _ in range(5):
            _bad_step(model, optimizer)
        _train(model, optimizer, 2)
        _bad_step(model, optimizer)
        events, pulse = seen.origins(), seen.monitor.window().pulse
    assert [event.data["step"] for event in events] == [8, 15]
    assert {event.data["kind"] for event in events} == {"input"}
    expected = [*[True] * 8, *[False] * 5, True, True, False]
    assert pulse.finite.tolist() == expected
    assert np.isfinite(pulse.loss).tolist() == expected


@pytest.mark.parametrize("overhead", [None, RARELY])
def test_origins_are_traced_twenty_times_at_most(overhead: float | None) -> None:
    model = _model()
    optimizer = SGD(model.parameters(), lr=0.0)
    with _watched(model, optimizer, overhead=overhead) as seen:
        for _ in range(25):
            _train(model, optimizer, 1)
            _bad_step(model, optimizer)
        assert len(seen.origins()) == 20
        assert np.flatnonzero(~seen.monitor.window().pulse.finite).tolist() == list(range(1, 50, 2))


@pytest.mark.parametrize("overhead", [None, RARELY])
def test_origins_can_be_switched_off(overhead: float | None) -> None:
    model = _model()
    optimizer = SGD(model.parameters(), lr=0.0)
    with _watched(model, optimizer, overhead=overhead, on_nan="off") as seen:
        _train(model, optimizer, 8)
        _bad_step(model, optimizer)
        assert seen.origins() == []
        assert seen.monitor.window().pulse.finite.tolist() == [True] * 8 + [False]


@pytest.mark.parametrize("overhead", [None, RARELY])
def test_half_precision_gradients_whose_sum_overflows(overhead: float | None) -> None:
    """A thousand gradients of 100 are finite, though their sum is more than 65504."""
    model = nn.Linear(1000, 1, bias=False).half()
    optimizer = SGD(model.parameters(), lr=1e-9)
    with _watched(model, optimizer, overhead=overhead) as seen:
        for _ in range(9):
            optimizer.zero_grad()
            model(torch.full((1, 1000), 100.0).half()).sum().backward()
            optimizer.step()
        assert seen.origins() == []
        assert seen.scalar("grad_finite") == [1.0] * len(seen.looked())


# -- what it costs ---------------------------------------------------------------------------


@pytest.mark.parametrize("overhead", [None, RARELY])
def test_the_time_of_looks_is_accounted_for(overhead: float | None) -> None:
    model = _model()
    optimizer = SGD(model.parameters(), lr=0.1)
    with _watched(model, optimizer, overhead=overhead) as seen:
        _train(model, optimizer, 6)
        spent = seen.monitor.spent
        assert spent["steps"] == 6
        assert sum(spent["looks"].values()) == len(seen.looked())
        assert spent["seconds"] > 0
    assert seen.monitor.spent["seconds"] >= spent["seconds"]


class _Doubled(nn.Module):
    """Its output is needed by nobody on the way back."""

    def forward(self, x: Tensor) -> Tensor:
        return x + x


@pytest.mark.parametrize("accumulate", [1, 2])
def test_no_activation_is_held_during_the_backward_pass(accumulate: int) -> None:
    model = nn.Sequential(nn.Linear(3, 3), _Doubled(), _Doubled(), nn.Linear(3, 1))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    outputs: list[weakref.ref[Tensor]] = []
    held: list[bool] = []

    def remember(module: nn.Module, args: Any, output: Tensor) -> None:
        outputs.append(weakref.ref(output))

    model[1].register_forward_hook(remember)
    model[0].weight.register_hook(lambda grad: held.append(outputs[-1]() is not None))
    with paramedic.watch(model, optimizer, overhead=None) as monitor:
        for step in range(3 * accumulate):
            model(torch.ones(2, 3)).sum().backward()
            if step % accumulate == accumulate - 1:
                optimizer.step()
                optimizer.zero_grad()
    assert held == [False] * 3 * accumulate
    assert np.isfinite(monitor.window().layer("act_mean")[-1][[1, 2]]).all()


def test_what_checkpointing_computes_again_is_not_held() -> None:
    model = nn.Sequential(nn.Linear(3, 3), nn.ReLU(), nn.Linear(3, 1))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    with paramedic.watch(model, optimizer, overhead=None) as monitor:
        for _ in range(3):
            out = checkpoint(model, torch.ones(2, 3), use_reentrant=False)
            out.sum().backward()
            assert not monitor._loop._tap.calls
            optimizer.step()
    assert np.isfinite(monitor.window().layer("act_mean")[-1]).all()
