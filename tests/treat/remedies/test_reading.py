from __future__ import annotations

import pytest
import torch
from torch import nn

from paramedic.treat.remedies import reading
from paramedic.treat.remedy import Refusal
from paramedic.types import Task
from tests.treat.plans import network, plan, points
from tests.treat.remedies.findings import finding


def _single() -> nn.Module:
    return nn.Sequential(nn.Linear(2, 4), nn.ReLU(), nn.Linear(4, 1))


@pytest.mark.parametrize(
    ("targets", "model", "task"),
    [
        (torch.arange(64) % 2, network(), Task.MULTI_CLASS),
        (torch.eye(2)[torch.arange(64) % 2], network(), Task.MULTI_CLASS),
        ((torch.arange(64) % 2).float(), _single(), Task.BINARY),
        ((torch.randn(64, 2) > 0).float(), network(), Task.MULTI_LABEL),
        (torch.randn(64), _single(), Task.REGRESSION),
        (torch.arange(64) % 2 + 1, network(), Task.MULTI_CLASS),
        (torch.ones(64, 1) * 2.5, _single(), Task.REGRESSION),
    ],
)
def test_the_task_is_told_by_targets_and_output(
    targets: torch.Tensor, model: nn.Module, task: Task
) -> None:
    assert reading.task(plan(train=(points(64)[0], targets), model=model)) is task


def test_the_rate_may_be_a_default() -> None:
    assert reading.rate(plan(optimizer=(torch.optim.Adam, {}))) == 0.001
    assert reading.rate(plan(optimizer=(torch.optim.SGD, {"lr": 0.2}))) == 0.2
    assert reading.is_adaptive(plan(optimizer=(torch.optim.AdamW, {})))
    assert not reading.is_adaptive(plan(optimizer=(torch.optim.SGD, {"lr": 0.2})))


def test_an_example_is_as_small_as_the_batches() -> None:
    assert reading.example(plan(batch_size=4)).shape == (4, 2)
    assert reading.example(plan(batch_size=64)).shape == (16, 2)


def test_what_has_no_scale_is_refused() -> None:
    tokens = (torch.randint(0, 5, (32, 2)), points(32)[1])
    model = nn.Sequential(nn.Embedding(5, 3), nn.Flatten(), nn.Linear(6, 2))
    with pytest.raises(Refusal, match="tokens"):
        reading.numbers(plan(train=tokens, validation=None, model=model))


def test_gradient_norms_are_measured_without_a_trace() -> None:
    sound = plan()
    state = torch.get_rng_state()
    norms = reading.gradient_norms(sound)
    assert len(norms) == 4
    assert norms == reading.gradient_norms(sound)
    assert torch.equal(torch.get_rng_state(), state)


def test_the_loss_may_be_told_by_the_finding() -> None:
    own = plan(loss=lambda output, target: nn.functional.cross_entropy(output, target))
    assert reading.loss_kind(own, finding("improper-output-activation", loss="nll")) == "nll"
    assert reading.loss_kind(plan(), finding("x", loss="nll")) == "cross-entropy"
