"""Nothing of the patient is changed, bit for bit, whatever happens."""

from __future__ import annotations

import copy
import random
import threading
from typing import Any

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from torch import Tensor, nn

import paramedic
from paramedic.checkup import catalogue
from paramedic.checkup.check import Check, Outcome
from paramedic.checkup.patient import Patient
from paramedic.checkup.preserving import preserved

from .case import Case, adam, labels, normal
from .gpt import GPT, tokens
from .sound import SOUND


def bits(tensor: Tensor | None) -> bytes | None:
    return None if tensor is None else tensor.detach().contiguous().numpy().tobytes()


def everything(case: Case) -> dict[str, Any]:
    """All that a check-up must leave as it is."""
    model, optimizer = case.model, case.optimizer
    state: dict[str, Any] = {
        "weights": {name: bits(one) for name, one in model.state_dict().items()},
        "gradients": {name: bits(one.grad) for name, one in model.named_parameters()},
        "gradient objects": {name: id(one.grad) for name, one in model.named_parameters()},
        "trainable": {name: one.requires_grad for name, one in model.named_parameters()},
        "identities": [id(one) for one in (*model.parameters(), *model.buffers())],
        "modes": {name: one.training for name, one in model.named_modules()},
        "hooks": [len(one._forward_hooks) for one in model.modules()],
        "attributes": {name: sorted(vars(one)) for name, one in model.named_modules()},
        "torch": bits(torch.get_rng_state()),
        "python": random.getstate(),
        "numpy": np.random.get_state()[1].tobytes(),  # type: ignore[union-attr,index]
        "batch": [bits(one) for one in torch.utils._pytree.tree_leaves(case.batch)],
        "gradients on": torch.is_grad_enabled(),
        "fast path": torch.backends.mha.get_fastpath_enabled(),
    }
    if optimizer is not None:
        state["optimizer"] = _plain(optimizer.state_dict())
    return state


def _plain(value: Any) -> Any:
    if isinstance(value, Tensor):
        return bits(value)
    if isinstance(value, dict):
        return {key: _plain(one) for key, one in value.items()}
    return [_plain(one) for one in value] if isinstance(value, list) else value


def used(case: Case) -> Case:
    """After a step of training: gradients, moments, running statistics, mixed modes."""
    model = case.model.train()
    if case.optimizer is not None:
        calls = case.batch if case.loss_fn is None else case.batch[:-1]
        output = model(*calls)
        loss = output[1] if case.loss_fn is None else case.loss_fn(output, case.batch[-1])
        loss.backward()
        case.optimizer.step()
    for place, module in enumerate(model.modules()):
        if place % 3 == 2:
            module.training = False
    torch.manual_seed(11)
    random.seed(12)
    np.random.seed(13)
    return case


@pytest.mark.parametrize(
    "name",
    ["gpt-with-tied-weights", "resnet", "cnn-with-batch-norm-and-dropout", "mlp-regression",
     "transformer-encoder-with-padding"],
)  # fmt: skip
def test_bit_for_bit(name: str) -> None:
    case = used(SOUND[name]())
    before = everything(case)
    case.checkup()
    assert everything(case) == before


def test_the_comparison_can_fail() -> None:
    case = used(SOUND["resnet"]())
    before = everything(case)
    case.model(case.batch[0])
    assert everything(case)["weights"] != before["weights"]


def test_training_goes_on_as_if_nothing_had_been() -> None:
    runs = []
    for checked in (False, True):
        torch.manual_seed(0)
        model = GPT()
        optimizer = adam(model)
        for step in range(4):
            if checked and step == 2:
                paramedic.checkup(model, tokens(), None, optimizer, select=["C003", "C010", "C014"])
            optimizer.zero_grad()
            model(*tokens())[1].backward()
            optimizer.step()
        runs.append([bits(one) for one in model.parameters()])
    assert runs[0] == runs[1]


class Rude(Check):
    """Spoils whatever it can reach, then raises."""

    code = "C000"
    slug = "rude"

    def run(self, patient: Patient) -> Outcome:
        for one in (patient.model, patient.subject.model):
            one.train()
            for parameter in one.parameters():
                parameter.data.fill_(torch.nan)
                parameter.grad = torch.ones_like(parameter)
                parameter.requires_grad_(False)
            for buffer in one.buffers():
                buffer.zero_()
            one.extra = 3  # type: ignore[assignment]
        torch.rand(3)
        random.random()
        np.random.rand()
        raise RuntimeError("I was rude")


def test_a_check_that_spoils_and_raises(monkeypatch: pytest.MonkeyPatch) -> None:
    others = catalogue.choose(["gradient-flow"])
    monkeypatch.setattr("paramedic.checkup.examination.choose", lambda *_: (Rude(), *others))
    case = used(SOUND["resnet"]())
    before = everything(case)
    report = case.checkup()
    assert everything(case) == before
    assert report.entry("rude").reason == "Could not be run: RuntimeError: I was rude."
    assert report.entry("gradient-flow").status == "passed"


class Counter(nn.Module):
    """Remembers its calls, writes into its input and updates a buffer, in any mode."""

    def __init__(self, lock: bool) -> None:
        super().__init__()
        self.inner = nn.Linear(4, 3)
        self.calls = 0
        self.register_buffer("seen", torch.zeros(4))
        if lock:
            self.lock = threading.Lock()  # cannot be copied

    def forward(self, x: Tensor) -> Tensor:
        self.calls += 1
        self.seen = self.seen + x.mean(0).detach()
        x += 1
        return self.inner(x)


@pytest.mark.parametrize("lock", [False, True])
def test_a_model_that_changes_itself(lock: bool) -> None:
    model = Counter(lock)
    case = Case(model, (normal(6, 4), labels(6, 3)), nn.CrossEntropyLoss(), adam(model))
    before = everything(case)
    report = case.checkup(ignore=["overfit-one-batch"])
    assert everything(case) == before
    assert model.calls == 0
    assert report.judged


def test_a_model_that_cannot_be_copied_is_still_examined() -> None:
    model = Counter(lock=True)
    case = Case(model, (normal(6, 4), labels(6, 3)), nn.CrossEntropyLoss(), adam(model))
    report = case.checkup()
    assert report.entry("gradient-flow").status == "passed"
    assert "cannot be copied" in report.entry("sample-independence").reason


def test_a_loss_that_refers_to_the_model() -> None:
    model = nn.Sequential(nn.Linear(4, 8), nn.BatchNorm1d(8), nn.Linear(8, 3))
    x, y = normal(6, 4), labels(6, 3)

    def loss(output: Tensor, target: Tensor) -> Tensor:
        return F.cross_entropy(output, target) + F.cross_entropy(model(x), target)

    case = Case(model, (x, y), loss, adam(model))
    before = everything(case)
    case.checkup()
    assert everything(case) == before


def test_an_interrupt_restores_too() -> None:
    model = nn.Sequential(nn.Linear(2, 2), nn.BatchNorm1d(2))
    before = copy.deepcopy(model.state_dict())

    def interrupted() -> None:
        with preserved(model):
            model(torch.randn(5, 2))
            model.eval()
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert model.training
    for name, value in model.state_dict().items():
        assert torch.equal(value, before[name])


def test_nan_and_negative_zero_are_compared_by_their_bits() -> None:
    model = nn.Linear(2, 1)
    with torch.no_grad():
        model.weight.copy_(torch.tensor([[torch.nan, -0.0]]))
    before = bits(model.weight)
    with preserved(model):
        model.weight.data.zero_()
    assert bits(model.weight) == before


def test_a_weight_that_was_given_another_shape() -> None:
    model = nn.Linear(2, 1)
    before = bits(model.weight)
    with preserved(model):
        model.weight.data = torch.zeros(5, 5)
    assert model.weight.shape == (1, 2)
    assert bits(model.weight) == before
