"""The monitor as a user meets it: attaching, handing in, detaching, and never hurting."""

from __future__ import annotations

import copy
import io
import logging
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from torch import Tensor, nn

import paramedic
from paramedic import Trace
from paramedic.probe.monitor import Monitor


def _model() -> nn.Sequential:
    torch.manual_seed(1)
    return nn.Sequential(nn.Linear(6, 8), nn.ReLU(), nn.Linear(8, 3))


def _train(model: nn.Module, optimizer: Any, steps: int) -> list[float]:
    losses = []
    for step in range(steps):
        generator = torch.Generator().manual_seed(step)
        x = torch.randn(10, 6, generator=generator)
        y = torch.randint(0, 3, (10,), generator=generator)
        optimizer.zero_grad()
        loss = F.cross_entropy(model(x), y)
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses


def _pair() -> tuple[nn.Sequential, torch.optim.Optimizer]:
    model = _model()
    return model, torch.optim.SGD(model.parameters(), lr=0.1)


def test_every_step_has_its_loss_even_where_nobody_looked(tmp_path: Path) -> None:
    model, optimizer = _pair()
    with paramedic.watch(model, optimizer, trace=tmp_path / "run.db", overhead=1e-6) as monitor:
        losses = _train(model, optimizer, 40)
    with Trace.open(tmp_path / "run.db") as trace:
        pulse = trace.pulse()
        assert pulse.step.tolist() == list(range(40))
        assert pulse.loss == pytest.approx(losses, rel=1e-6)
        assert pulse.finite.all()
        assert len(trace) < 10
        assert trace.meta("spent")["looks"] == monitor.spent["looks"]
        assert trace.meta("spent")["seconds"] > 0


def test_the_first_steps_are_always_seen() -> None:
    model, optimizer = _pair()
    with paramedic.watch(model, optimizer, overhead=1e-6, strict=True) as monitor:
        _train(model, optimizer, 20)
        assert monitor.window().steps[:5].tolist() == [0, 1, 2, 3, 4]
        assert not np.isnan(monitor.window().layer("weight_mean")[:5, 0]).any()


def test_step_hands_in_the_loss_before_or_after_the_optimizer() -> None:
    model, optimizer = _pair()
    with paramedic.watch(model, optimizer, overhead=None, strict=True) as monitor:
        for step in range(4):
            optimizer.zero_grad()
            model(torch.ones(2, 6)).sum().backward()
            if step % 2:
                monitor.step(float(step))
            optimizer.step()
            if not step % 2:
                monitor.step(torch.tensor(float(step)))
        monitor.epoch(val_loss=1.0)
        assert monitor.last_step == 3
        assert monitor.window().pulse.loss.tolist() == [0.0, 1.0, 2.0, 3.0]
        assert monitor.window().scalar("loss").tolist() == [0.0, 1.0, 2.0, 3.0]


def test_epochs_are_recorded_with_any_names(tmp_path: Path) -> None:
    model, optimizer = _pair()
    with paramedic.watch(model, optimizer, trace=tmp_path / "run.db", strict=True) as monitor:
        for epoch in range(3):
            _train(model, optimizer, 2)
            monitor.epoch(val_loss=1.0 / (epoch + 1), bleu=torch.tensor(0.5))
        assert monitor.window().series("val_loss") == pytest.approx([1.0, 0.5, 1 / 3])
        assert np.isnan(monitor.window().series("val_acc")).all()
    with Trace.open(tmp_path / "run.db") as trace:
        assert [epoch.step for epoch in trace.epochs] == [1, 3, 5]
        assert trace.epochs[0].values == {"val_loss": 1.0, "bleu": 0.5}


def test_pickle_deepcopy_and_torch_save_while_watched() -> None:
    model, optimizer = _pair()
    with paramedic.watch(model, optimizer, overhead=None, on_nan="replay", strict=True):
        _train(model, optimizer, 2)
        twin = copy.deepcopy(model)
        again = pickle.loads(pickle.dumps(model))
        buffer = io.BytesIO()
        torch.save(model, buffer)
        copied = copy.deepcopy(optimizer)
    for other in (twin, again):
        modules = list(other.modules())
        assert not any(module._forward_hooks or module._forward_pre_hooks for module in modules)
        x = torch.randn(3, 6)
        assert torch.equal(other(x), model(x))
    assert b"paramedic" not in buffer.getvalue()
    assert not copied._optimizer_step_post_hooks


def test_everything_detaches() -> None:
    import torch.nn.modules.module as hooks
    from torch.amp.grad_scaler import GradScaler

    backward, scaled = torch.autograd.backward, GradScaler.step
    assert not hooks._has_any_global_hook()
    model, optimizer = _pair()
    monitor = paramedic.watch(model, optimizer, overhead=None, on_nan="replay")
    assert torch.autograd.backward is not backward
    _train(model, optimizer, 2)
    monitor.close()
    monitor.close()
    assert torch.autograd.backward is backward
    assert GradScaler.step is scaled
    assert not hooks._has_any_global_hook()
    assert not optimizer._optimizer_step_pre_hooks
    assert not optimizer._optimizer_step_post_hooks
    steps = monitor.last_step
    _train(model, optimizer, 2)
    assert monitor.last_step == steps


def test_detaches_when_training_raises(tmp_path: Path) -> None:
    backward = torch.autograd.backward
    model, optimizer = _pair()

    def impatient() -> None:
        with paramedic.watch(model, optimizer, trace=tmp_path / "run.db"):
            _train(model, optimizer, 3)
            raise RuntimeError("out of patience")

    with pytest.raises(RuntimeError, match="out of patience"):
        impatient()
    assert torch.autograd.backward is backward
    with Trace.open(tmp_path / "run.db") as trace:
        assert trace.last_step == 2


@pytest.mark.parametrize(
    ("place", "part"),
    [
        ("paramedic.probe.examiner.activation_columns", "activations"),
        ("paramedic.probe.examiner.batch_scalars", "batch"),
        ("paramedic.probe.meter.Meter.gradients", "gradients"),
        ("paramedic.probe.movement.Movement.end", "updates"),
        ("paramedic.probe.layers.Layers.executed", "layers"),
        ("paramedic.probe.origin.OriginFinder.learn", "origin"),
        ("paramedic.probe.cycle.GradientMarks.touched", "backward"),
        ("paramedic.probe.recorder.Recorder.pulse", "steps"),
    ],
)
def test_an_internal_error_ends_that_part_and_not_the_training(
    place: str, part: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(*args: Any, **kwargs: Any) -> Any:
        raise ZeroDivisionError("a bug of ours")

    model, optimizer = _pair()
    plain = _train(model, optimizer, 8)
    monkeypatch.setattr(place, broken)
    model, optimizer = _pair()
    with (
        caplog.at_level(logging.WARNING, "paramedic"),
        paramedic.watch(model, optimizer, overhead=None) as monitor,
    ):
        assert _train(model, optimizer, 8) == plain
    assert sum(part in record.getMessage() for record in caplog.records) == 1
    assert "a bug of ours" in monitor.not_checked[part]

    model, optimizer = _pair()
    with pytest.raises(ZeroDivisionError), _closing(model, optimizer):
        _train(model, optimizer, 8)


def _closing(model: Any, optimizer: Any) -> Any:
    return paramedic.watch(model, optimizer, overhead=None, strict=True)


def test_loss_of_recording_is_reported_and_training_goes_on(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("not a directory")
    model, optimizer = _pair()
    with (
        caplog.at_level(logging.WARNING, "paramedic"),
        paramedic.watch(model, optimizer, trace=blocked / "run.db") as monitor,
    ):
        _train(model, optimizer, 3)
        assert monitor.last_step == 2
        assert len(monitor.window()) == 3
    assert "recording" in monitor.not_checked
    assert blocked.read_text() == "not a directory"


def test_a_trace_is_that_of_the_newest_run_and_earlier_ones_are_kept(tmp_path: Path) -> None:
    for steps in (2, 3, 4):
        model, optimizer = _pair()
        with paramedic.watch(model, optimizer, trace=tmp_path / "run.db") as monitor:
            _train(model, optimizer, steps)
        assert monitor.trace == tmp_path / "run.db"
        with Trace.open(tmp_path / "run.db") as trace:
            assert trace.last_step == steps - 1
    kept = []
    for path in tmp_path.glob("run-*.db"):
        with Trace.open(path) as trace:
            kept.append(trace.last_step)
    assert sorted(kept) == [1, 2]


def test_two_runs_at_the_same_time(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    (first, its), (second, theirs) = _pair(), _pair()
    with paramedic.watch(first, its, trace=tmp_path / "run.db") as one:
        _train(first, its, 2)
        with paramedic.watch(second, theirs, trace=tmp_path / "run.db") as two:
            _train(second, theirs, 3)
        _train(first, its, 3)
    assert (one.trace, two.trace) == (tmp_path / "run.db", tmp_path / "run-2.db")
    assert "run-2.db" in caplog.text
    for monitor, steps in ((one, 5), (two, 3)):
        assert monitor.trace is not None
        with Trace.open(monitor.trace) as trace:
            assert trace.last_step == steps - 1


def test_labels_and_task_are_found_without_being_told() -> None:
    model, optimizer = _pair()
    with paramedic.watch(model, optimizer, overhead=None, strict=True) as monitor:
        _train(model, optimizer, 3)
    assert monitor.chart.task == "multi-class"
    assert monitor.chart.loss == "cross-entropy"
    assert monitor.chart.batch_size == 10
    assert sum(monitor.labels.values()) == 30
    assert set(monitor.labels) <= {0, 1, 2}


def test_what_was_not_checked_is_in_the_trace(tmp_path: Path) -> None:
    model, optimizer = _pair()
    path = tmp_path / "run.db"
    with paramedic.watch(model, optimizer, trace=path, measure="vitals", strict=True):
        _train(model, optimizer, 2)
    with Trace.open(path) as trace:
        assert trace.chart.not_checked == {"activations": "only vitals were asked for"}


def test_vitals_only() -> None:
    model, optimizer = _pair()
    with paramedic.watch(model, optimizer, overhead=None, measure="vitals", strict=True) as monitor:
        _train(model, optimizer, 4)
        window = monitor.window()
    assert np.isfinite(window.layer("grad_norm")[:, 0]).all()
    assert np.isnan(window.layer("weight_norm")).all()
    assert "vitals" in monitor.not_checked["activations"]


class Manual(nn.Module):
    """Gradients by `autograd.grad`, put in place by hand: no `backward` is ever called."""

    def __init__(self) -> None:
        super().__init__()
        self.inner = nn.Linear(6, 3)

    def forward(self, x: Tensor) -> Tensor:
        return self.inner(x)


def test_gradients_that_no_backward_made() -> None:
    model = Manual()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    with paramedic.watch(model, optimizer, overhead=None, strict=True) as monitor:
        for _ in range(3):
            loss = model(torch.randn(4, 6)).pow(2).mean()
            grads = torch.autograd.grad(loss, list(model.parameters()))
            for parameter, grad in zip(model.parameters(), grads, strict=True):
                parameter.grad = grad
            true = float(torch.cat([grad.flatten() for grad in grads]).norm())
            optimizer.step()
            monitor.step(loss)
        window = monitor.window()
    assert window.scalar("grad_norm")[-1] == pytest.approx(true, rel=1e-6)
    assert window.scalar("grad_raw").tolist() == [0.0, 0.0, 0.0]
    assert window.pulse.loss[-1] == pytest.approx(float(loss.detach()))


def test_a_monitor_is_what_watch_returns() -> None:
    model, optimizer = _pair()
    monitor = paramedic.watch(model, optimizer)
    monitor.close()
    assert isinstance(monitor, Monitor)
