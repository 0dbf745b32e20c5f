"""Running the last batch once more, on a copy: the same numbers, and nothing else moves."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest
import torch
import torch.nn.modules.module as torch_module
from torch import Tensor, nn
from torch.utils.checkpoint import checkpoint

from paramedic.probe.call import Call
from paramedic.probe.rerun import Rerun


class Model(nn.Module):
    """With randomness, a state of its own and a count of its calls."""

    def __init__(self) -> None:
        super().__init__()
        self.linear = nn.Linear(3, 4)
        self.norm = nn.BatchNorm1d(4)
        self.dropout = nn.Dropout(0.5)
        self.calls = 0

    def forward(self, x: Tensor, *, scale: float = 1.0) -> Tensor:
        self.calls += 1
        return self.dropout(self.norm(self.linear(x))) * scale


@contextmanager
def _remembered(*models: nn.Module) -> Iterator[Rerun]:
    rerun = Rerun({id(model) for model in models})
    rerun.open()
    try:
        yield rerun
    finally:
        rerun.close()


def _x(seed: int = 0) -> Tensor:
    return torch.randn(6, 3, generator=torch.Generator().manual_seed(seed))


def _model() -> Model:
    torch.manual_seed(0)
    return Model()


def _output(call: Call) -> Tensor:
    """The copy is gone, and what it put out is."""
    assert call.output is not None
    output = call.output.tensor()
    assert output is not None
    return output


def test_the_same_batch_gives_the_same_outputs() -> None:
    model = _model()
    with _remembered(model) as rerun:
        torch.manual_seed(5)
        output = model(_x(), scale=3.0)
        calls = rerun.calls()
    assert torch.equal(_output(calls[-1]), output)
    theirs = [model.linear, model.norm, model.dropout, model]
    assert [call.key for call in calls] == [id(one) for one in theirs]
    assert model.calls == 1  # it ran on a copy


def test_the_users_model_and_random_stream_are_left_alone() -> None:
    model = _model()
    with _remembered(model) as rerun:
        model(_x())
        state = {name: value.clone() for name, value in model.state_dict().items()}
        torch.rand(5)  # they draw on, so the stream is not where the replay ends
        stream = torch.get_rng_state()
        rerun.calls()
        rerun.calls()
        assert torch.equal(torch.get_rng_state(), stream)
    assert model.calls == 1
    for name, value in model.state_dict().items():
        assert torch.equal(value, state[name]), name
    assert all(parameter.grad is None for parameter in model.parameters())


def test_the_last_batch_counts() -> None:
    model = _model()
    with _remembered(model) as rerun:
        model(_x(0))
        output = model(_x(1))
        assert torch.equal(_output(rerun.calls()[-1]), output)


def test_calls_without_gradients_and_of_others_are_not_remembered() -> None:
    model, other = _model(), _model()
    with _remembered(model) as rerun:
        other(_x())
        with torch.no_grad():
            model(_x())
        assert rerun.calls() == []
        output = model(_x(1))
        with torch.no_grad():
            model(_x(2))
        assert torch.equal(_output(rerun.calls()[-1]), output)


def test_several_models() -> None:
    first, second = _model(), _model()
    with _remembered(first, second) as rerun:
        outputs = [first(_x(0)), second(_x(1))]
        calls = rerun.calls()
    roots = [call for call in calls if call.kind == "Model"]
    assert [call.key for call in roots] == [id(first), id(second)]
    assert all(torch.equal(_output(call), out) for call, out in zip(roots, outputs, strict=True))


def test_automatic_precision_is_the_same() -> None:
    model = nn.Linear(3, 4)
    with _remembered(model) as rerun:
        with torch.autocast("cpu", dtype=torch.bfloat16):
            output = model(_x())
        (call,) = rerun.calls()
        assert _output(call).dtype is torch.bfloat16
        assert torch.equal(_output(call), output)
        model(_x())
        (call,) = rerun.calls()
        assert _output(call).dtype is torch.float32


def test_modes_are_the_same() -> None:
    model = _model().eval()
    with _remembered(model) as rerun:
        output = model(_x())
        calls = rerun.calls()
    assert torch.equal(_output(calls[-1]), output)
    assert not any(call.training for call in calls)


@pytest.mark.parametrize("reentrant", [True, False])
def test_a_recomputed_forward_is_not_the_last_batch(reentrant: bool) -> None:
    """Checkpointing runs the model again within the backward pass: that is not a new batch."""
    model = nn.Linear(3, 4)
    with _remembered(model) as rerun:
        first = model(_x(0))
        checkpoint(model, _x(1).requires_grad_(), use_reentrant=reentrant).sum().backward()
        (call,) = rerun.calls()
    expected = first if reentrant else model(_x(1))
    assert torch.equal(_output(call), expected)


def test_an_error_during_the_replay_puts_everything_back() -> None:
    class Fails(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.inner = nn.Linear(3, 3)
            self.broken = False

        def forward(self, x: Tensor) -> Tensor:
            if self.broken:
                raise ValueError("only the first time")
            return self.inner(x)

    model = Fails()
    with _remembered(model) as rerun:
        model(_x())
        model.broken = True
        stream, hooks = torch.get_rng_state(), len(torch_module._global_forward_hooks)
        with pytest.raises(ValueError, match="only the first time"):
            rerun.calls()
        assert torch.equal(torch.get_rng_state(), stream)
        assert len(torch_module._global_forward_hooks) == hooks


def test_closed_it_remembers_nothing_and_leaves_nothing() -> None:
    before = (
        len(torch_module._global_forward_hooks), len(torch_module._global_forward_pre_hooks),
    )  # fmt: skip
    model = _model()
    with _remembered(model) as rerun:
        model(_x())
    assert rerun.calls() == []
    model(_x())
    assert rerun.calls() == []
    assert before == (
        len(torch_module._global_forward_hooks), len(torch_module._global_forward_pre_hooks),
    )  # fmt: skip
    assert not model._forward_hooks
    assert not model._forward_pre_hooks
