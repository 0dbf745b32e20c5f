"""Every edit on every architecture: it works, keeps what it can, and says what it did."""

from __future__ import annotations

import ast
import copy
from functools import cache
from typing import Any

import pytest
import torch
from torch import Tensor, nn

from paramedic.probe.randomness import seed
from paramedic.probe.tensors import all_tensors
from paramedic.treat.surgery import Operation, Refusal
from paramedic.treat.surgery.calling import arguments, copied
from tests.treat.surgery.architectures import ARCHITECTURES
from tests.treat.surgery.edits import DONE, EDITS, REFUSED


@cache
def _operation(edit: str, name: str) -> Operation:
    architecture = ARCHITECTURES[name]
    return EDITS[edit](architecture.model(), architecture.batch())


def _original(name: str) -> nn.Module:
    return copied(ARCHITECTURES[name].model(), ARCHITECTURES[name].batch())


def _output(model: nn.Module, name: str) -> list[Tensor]:
    args, kwargs = arguments(model, ARCHITECTURES[name].batch())
    seed(5)
    return all_tensors(model(*args, **kwargs))


def _equal(one: list[Tensor], other: list[Tensor]) -> bool:
    return all(torch.equal(*pair) for pair in zip(one, other, strict=True))


def test_there_are_enough_architectures() -> None:
    assert len(ARCHITECTURES) == 47
    assert (len(DONE), len(REFUSED)) == (222, 60)  # as docs/surgery.md says


@pytest.mark.parametrize(("edit", "name"), REFUSED, ids=map("-".join, REFUSED))
def test_a_refusal_says_why(edit: str, name: str) -> None:
    architecture = ARCHITECTURES[name]
    with pytest.raises(Refusal, match=REFUSED[edit, name]):
        EDITS[edit](architecture.model(), architecture.batch())


@pytest.mark.parametrize(("edit", "name"), DONE, ids=map("-".join, DONE))
def test_the_model_runs_and_gradients_flow(edit: str, name: str) -> None:
    before, after = _original(name), copy.deepcopy(_operation(edit, name).model)
    expected, found = _output(before, name), _output(after, name)
    assert [one.shape for one in found] == [one.shape for one in expected]
    torch.stack([one.square().sum() for one in expected]).sum().backward()
    torch.stack([one.square().sum() for one in found]).sum().backward()
    reached = [one for one in before.parameters() if one.grad is not None]
    gradients = [one.grad for one in after.parameters() if one.grad is not None]
    assert len(gradients) >= len(reached) > 0
    assert all(bool(torch.isfinite(one).all()) for one in gradients)


@pytest.mark.parametrize(("edit", "name"), DONE, ids=map("-".join, DONE))
def test_untouched_weights_are_equal_and_ties_stay(edit: str, name: str) -> None:
    before, after = _original(name), _operation(edit, name).model
    if edit != "reinitialise":
        remaining = list(after.parameters())
        for one in before.parameters():
            place = next(i for i, other in enumerate(remaining) if torch.equal(one, other))
            del remaining[place]
        assert not remaining or edit == "normalise"
    else:
        assert {key: one.shape for key, one in after.state_dict().items()} == {
            key: one.shape for key, one in before.state_dict().items()
        }
        assert len(list(after.parameters())) == len(list(before.parameters()))


@pytest.mark.parametrize(("edit", "name"), DONE, ids=map("-".join, DONE))
def test_the_state_can_be_saved_and_loaded(edit: str, name: str) -> None:
    model = _operation(edit, name).model.eval()
    twin = copy.deepcopy(model)
    with torch.no_grad():
        for one in twin.parameters():
            one.fill_(0.5)
    twin.load_state_dict(model.state_dict())
    assert _equal(_output(model, name), _output(twin, name))


@pytest.mark.parametrize(("edit", "name"), DONE, ids=map("-".join, DONE))
def test_the_description_names_the_places(edit: str, name: str) -> None:
    operation = _operation(edit, name)
    before = dict(_original(name).named_modules())
    after = dict(operation.model.named_modules())
    assert operation.layers
    assert operation.description.endswith(".")
    assert operation.description.count(".\n") == 0
    for layer in operation.layers[:6]:
        assert f"`{layer}`" in operation.description
        assert layer in before or layer in after or layer == type(before[""]).__name__
    ast.parse(operation.code)


_NOT_LITERAL = {
    ("dropout", "functional-cnn"),  # its dropout became a module first
    ("normalise", "double"),
    ("normalise", "transformer"),
    ("hidden", "transformer"),
    ("hidden", "translator"),
}


def _followed(code: str, model: nn.Module) -> nn.Module:
    """The model after the printed code was run, as a user would."""
    names: dict[str, Any] = {"model": model, "nn": nn, "torch": torch}
    seed(0)
    with torch.no_grad():
        exec(code, names)  # noqa: S102 - our own words, held against what we did
    changed = names["model"]
    assert isinstance(changed, nn.Module)
    return changed


@pytest.mark.parametrize(("edit", "name"), DONE, ids=map("-".join, DONE))
def test_the_printed_code_does_the_same(edit: str, name: str) -> None:
    operation = _operation(edit, name)
    if (edit, name) in _NOT_LITERAL or "→" in operation.code or "(..., " in operation.code:
        return  # the code tells what to change in a forward pass, in an argument, in a type
    changed = _followed(operation.code, _original(name)).eval()
    assert repr(changed) == repr(operation.model)
    assert _equal(_output(changed, name), _output(operation.model.eval(), name))


@pytest.mark.parametrize("edit", EDITS)
def test_the_original_and_the_random_stream_are_untouched(edit: str) -> None:
    for name in ("functional-cnn", "resnet", "gru-stack", "transformer", "variational"):
        architecture = ARCHITECTURES[name]
        model, batch = architecture.model().train(), architecture.batch()
        state = {key: one.clone() for key, one in model.state_dict().items()}
        words = repr(model)
        drawn = torch.get_rng_state()
        if (edit, name) in REFUSED:
            with pytest.raises(Refusal):
                EDITS[edit](model, batch)
        else:
            after = EDITS[edit](model, batch).model
            assert all(module.training for module in after.modules())
        assert torch.equal(torch.get_rng_state(), drawn)
        assert repr(model) == words
        assert all(torch.equal(one, state[key]) for key, one in model.state_dict().items())
