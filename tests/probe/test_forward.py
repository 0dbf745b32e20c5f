"""Catching what modules take in and give out, without leaving anything in them."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
import torch
import torch.nn.modules.module as torch_module
from torch import Tensor, nn

from paramedic.probe.call import Call
from paramedic.probe.forward import HOOK_SECONDS, ForwardTap


def _model() -> nn.Sequential:
    torch.manual_seed(0)
    return nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.Linear(4, 2))


def _x() -> Tensor:
    return torch.ones(2, 3)


@contextmanager
def _open(*modules: nn.Module) -> Iterator[ForwardTap]:
    tap = ForwardTap({id(module) for model in modules for module in model.modules()})
    tap.open()
    try:
        yield tap
    finally:
        tap.close()


def _keys(calls: list[Call]) -> list[int]:
    return [call.key for call in calls]


def _output(call: Call) -> Tensor | None:
    return None if call.output is None else call.output.alive()


def test_calls_in_the_order_they_finish() -> None:
    model, x = _model(), _x()
    with _open(model) as tap:
        output = model(x)
        calls = tap.take()
    assert _keys(calls) == [id(one) for one in (model[0], model[1], model[2], model)]
    assert [one.alive() for one in calls[0].inputs] == [x]
    assert calls[0].output is not None
    assert calls[0].output.alive() is None  # autograd does not save it
    assert calls[1].inputs[0].mark == calls[0].output.mark
    assert _output(calls[3]) is output
    assert _output(calls[2]) is output
    assert all(call.training and call.intact() for call in calls)


def test_taking_empties() -> None:
    model = _model()
    with _open(model) as tap:
        model(_x())
        assert len(tap.take()) == 4
        assert tap.take() == []
        model(_x())
        assert len(tap.take()) == 4


def test_keyword_arguments() -> None:
    class Named(nn.Module):
        def forward(self, first: Tensor, *, second: Tensor, scale: float = 1.0) -> Tensor:
            return first + second * scale

    model, a, b = Named(), torch.ones(2), torch.zeros(2)
    with _open(model) as tap:
        model(first=a, second=b, scale=2.0)
        model(a, second=b)
        calls = tap.take()
    for call in calls:
        assert [one.alive() is twin for one, twin in zip(call.inputs, (a, b), strict=True)]


def test_nested_arguments_and_outputs() -> None:
    class Nest(nn.Module):
        def forward(self, batch: dict[str, Tensor], pair: tuple[Tensor, str]) -> tuple[Tensor, ...]:
            return batch["y"], batch["x"] * 2

    model = Nest()
    batch, pair = {"x": torch.ones(2), "y": torch.tensor([1, 2])}, (torch.zeros(1), "text")
    with _open(model) as tap:
        output = model(batch, pair)
        (call,) = tap.take()
    assert len(call.inputs) == 3
    assert _output(call) is output[1]  # the first floating one


def test_only_the_modules_asked_for_and_losses() -> None:
    watched, other, criterion = _model(), _model(), nn.MSELoss()
    with _open(watched) as tap:
        other(_x())
        target = torch.zeros(2, 2)
        criterion(watched(_x()), target)
        calls = tap.take()
    assert _keys(calls) == [id(one) for one in (*watched, watched, criterion)]
    assert calls[-1].inputs[1].alive() is target


def test_the_modules_asked_for_may_grow() -> None:
    model, ids = _model(), set[int]()
    tap = ForwardTap(ids)
    tap.open()
    model(_x())
    assert tap.take() == []
    ids.add(id(model[1]))
    model(_x())
    assert _keys(tap.take()) == [id(model[1])]
    tap.close()


def test_nothing_is_collected_without_gradients() -> None:
    model = _model()
    with _open(model) as tap:
        with torch.no_grad():
            model(_x())
        with torch.inference_mode():
            model(_x())
        assert tap.take() == []
        model.eval()
        model(_x())
        calls = tap.take()
    assert len(calls) == 4
    assert not any(call.training for call in calls)


def test_closed_it_is_not_there() -> None:
    before = dict(torch_module._global_forward_hooks)
    assert not torch_module._has_any_global_hook()
    model = _model()
    with _open(model) as tap:
        assert len(torch_module._global_forward_hooks) == len(before) + 1
        tap.open()
        assert len(torch_module._global_forward_hooks) == len(before) + 1
        model(_x())
    assert not tap.calls
    assert not tap.is_open
    assert dict(torch_module._global_forward_hooks) == before
    assert not torch_module._has_any_global_hook()
    model(_x())
    assert not tap.calls
    tap.close()


def test_nothing_stays_in_the_modules() -> None:
    model = _model()
    with _open(model):
        model(_x())
        for module in model.modules():
            assert not module._forward_hooks
            assert not module._forward_pre_hooks
            assert not module._backward_hooks
        twin, again = copy.deepcopy(model), pickle.loads(pickle.dumps(model))
    assert torch.equal(twin(_x()), again(_x()))


def test_muted_it_stays_but_collects_nothing() -> None:
    model = _model()
    before = len(torch_module._global_forward_hooks)
    with _open(model) as tap:
        model(_x())
        tap.mute()
        assert tap.take() == []
        model(_x())
        assert tap.take() == []
        assert len(torch_module._global_forward_hooks) == before + 1
        tap.open()
        model(_x())
        assert len(tap.take()) == 4


def test_outputs_are_handed_on_unchanged() -> None:
    model = _model()
    expected = model(_x())
    with _open(model):
        assert torch.equal(model(_x()), expected)


def test_what_the_hook_costs_is_estimated_from_its_calls() -> None:
    model, other = _model(), _model()
    with _open(model) as tap:
        model(_x())
        other(_x())
        assert 8 * HOOK_SECONDS < tap.spent() < 1.0  # and what reading took
        assert tap.spent() == 0.0


def test_an_output_that_was_written_to() -> None:
    model = nn.Sequential(nn.Linear(3, 3), nn.ReLU(inplace=True))
    with _open(model) as tap:
        model(_x())
        calls = tap.take()
    assert [call.intact() for call in calls] == [False, True, True]


def test_a_module_without_tensors() -> None:
    class Text(nn.Module):
        def forward(self, text: str) -> str:
            return text.upper()

    model = Text()
    with _open(model) as tap:
        assert model("a") == "A"
        (call,) = tap.take()
    assert (call.inputs, call.output) == ((), None)
    assert call.intact()


def test_an_error_in_the_forward_pass_leaves_no_call() -> None:
    class Fails(nn.Module):
        def forward(self, x: Tensor) -> Tensor:
            raise ValueError("no")

    model = nn.Sequential(nn.Linear(3, 3), Fails())
    with _open(model) as tap:
        with pytest.raises(ValueError, match="no"):
            model(_x())
        assert _keys(tap.take()) == [id(model[0])]


def test_a_mode_that_is_given_with_the_call() -> None:
    """Layers of Keras are called with `training=`; the mode of the module says nothing."""

    class Layer(nn.Module):
        def forward(self, x: Tensor, training: bool | None = None) -> Tensor:
            return x * 2

    layer = Layer().eval()
    tap = ForwardTap({id(layer)})
    tap.open()
    try:
        layer(torch.ones(1, requires_grad=True), training=True)
        layer(torch.ones(1, requires_grad=True))
        assert [call.training for call in tap.take()] == [True, False]
    finally:
        tap.close()
