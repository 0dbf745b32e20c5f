"""Counting steps, beginning, ending, and saying so when nothing could be done."""

from __future__ import annotations

from typing import Any

import pytest
import torch
import torch.nn.functional as F
from torch import nn
from torch.amp.grad_scaler import GradScaler

import paramedic
from paramedic.inject.fault import InjectionError

from .patients import data, momentum, net, train


def test_steps_are_counted_as_a_monitor_counts_them() -> None:
    run = train(7, "exploding-gradient", at=3, passes=2, watch="after")
    assert run.injection is not None
    assert run.injection.step == 7
    assert run.monitor.last_step == 6


def test_close_can_be_called_and_called_again() -> None:
    model = net()
    optimizer = momentum(model)
    injection = paramedic.inject(model, optimizer, "wrong-mode", at=0)
    model(data(4)[0])
    injection.close()
    injection.close()
    assert injection.log == [(0, "wrong-mode: the training passes run in evaluation mode")]
    assert not model._forward_pre_hooks


def test_several_faults_come_together() -> None:
    run = train(6, ["exploding-gradient", "abnormal-data"], at=4)
    assert run.log == [
        (4, "abnormal-data: the inputs replaced by noise"),
        (4, "exploding-gradient: the gradients of all layers times 20"),
    ]
    assert run.injection is not None
    assert [fault.slug for fault in run.injection.faults] == ["exploding-gradient", "abnormal-data"]


def test_injections_can_be_nested() -> None:
    model = net()
    optimizer = momentum(model)
    x, y = data(8)
    with (
        paramedic.inject(model, optimizer, "exploding-gradient", at=1) as one,
        paramedic.inject(model, optimizer, "wrong-mode", at=2) as other,
    ):
        for _ in range(4):
            optimizer.zero_grad()
            F.cross_entropy(model(x), y).backward()
            optimizer.step()
    assert [step for step, _ in one.log] == [1]
    assert [step for step, _ in other.log] == [2]


def test_a_step_of_two_optimizers_is_one_step() -> None:
    model = net()
    first = torch.optim.SGD(model[0].parameters(), lr=0.1)
    second = torch.optim.SGD(model[3].parameters(), lr=0.1)
    with paramedic.inject(model, [first, second], "exploding-gradient", at=2) as injection:
        for _ in range(4):
            model(data(4)[0]).sum().backward()
            first.step()
            second.step()
        assert injection.step == 4
        first.step()
        first.step()
        assert injection.step == 5
        second.step()
        assert injection.step == 6
    assert [step for step, _ in injection.log] == [2]


def test_other_optimizers_do_not_count() -> None:
    model = net()
    optimizer, other = momentum(model), momentum(net())
    with paramedic.inject(model, optimizer, "exploding-gradient", at=9) as injection:
        other.step()
        assert injection.step == 0


def test_a_step_that_a_gradient_scaler_skips_is_a_step() -> None:
    model = net()
    optimizer = momentum(model)
    scaler = GradScaler("cpu", init_scale=4.0)
    x, y = data(8)
    scales = []
    with (
        paramedic.inject(model, optimizer, "non-finite", at=2) as injection,
        paramedic.watch(model, optimizer, overhead=None, strict=True) as monitor,
    ):
        for _ in range(5):
            optimizer.zero_grad()
            scaler.scale(F.cross_entropy(model(x), y)).backward()
            scaler.step(optimizer)
            scaler.update()
            scales.append(scaler.get_scale())
    assert scales == [4, 4, 2, 2, 2]
    assert injection.step == 5 == monitor.last_step + 1
    assert all(torch.isfinite(parameter).all() for parameter in model.parameters())


def test_faults_on_targets_want_the_batches() -> None:
    model = net()
    optimizer = momentum(model)
    with (
        pytest.raises(InjectionError, match=r"x, y = injection.batch\(x, y\)"),
        paramedic.inject(model, optimizer, "uninformative-labels", at=500),
    ):
        optimizer.step()


NOTHING_TO_DO = {
    "exploding-gradient": "no backward pass",
    "abnormal-data": "the model was not called",
    "non-finite": "the layer was not called",
    "saturated-activation": "the activations were not called",
    "untrained-parameters": "no gradient when the optimizer stepped",
    "missing-zero-grad": "neither `optimizer.zero_grad",
    "wrong-mode": "not called in training mode",
    "leaking-batches": "at least two samples",
}


@pytest.mark.parametrize("slug", NOTHING_TO_DO)
def test_a_fault_that_could_do_nothing_says_so(slug: str) -> None:
    model = net()
    optimizer = momentum(model)
    with (
        pytest.raises(InjectionError, match=f"`{slug}` was due.*{NOTHING_TO_DO[slug]}"),
        paramedic.inject(model, optimizer, slug, at=1),
    ):
        _step_four_times(optimizer)


def _step_four_times(optimizer: Any) -> None:
    for _ in range(4):
        optimizer.step()


def test_a_fault_has_two_steps_to_find_something_to_do() -> None:
    model = net()
    optimizer = momentum(model)
    with paramedic.inject(model, optimizer, "missing-zero-grad", at=0) as injection:
        for _ in range(3):  # gradients are cleared at the end of the turn
            model(data(4)[0]).sum().backward()
            optimizer.step()
            optimizer.zero_grad()
    assert [step for step, _ in injection.log] == [1]


def test_passes_without_gradients_are_not_training() -> None:
    model = net()
    optimizer = momentum(model)
    x, _ = data(8)
    with paramedic.inject(model, optimizer, "dead-input", at=0) as injection:
        with torch.no_grad():
            validation = model.eval()(x)
        model.train()
        assert validation.std(dim=0).min() > 0
        assert injection.log == []
        assert model(x)[0].tolist() == model(x)[1].tolist()


class Wordy(nn.Module):
    """A model that is called with keywords and mappings."""

    def __init__(self) -> None:
        super().__init__()
        self.layer = nn.Linear(12, 4)

    def forward(self, *, batch: dict[str, Any], targets: Any = None) -> Any:
        return self.layer(batch["x"])


def test_inputs_are_found_wherever_they_are() -> None:
    model = Wordy()
    optimizer = momentum(model)
    x, y = data(8)
    with paramedic.inject(model, optimizer, "dead-input", at=0):
        output = model(batch={"x": x}, targets=y)
    assert torch.equal(output, model.layer.bias.expand(8, 4))
    assert x.std() > 0.5


def test_off_is_off(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PARAMEDIC", "off")
    run = train(4, "exploding-gradient", at=1)
    assert run.log == []
    healthy = train(4)
    assert run.losses == healthy.losses
