"""Finding parts of a model."""

from __future__ import annotations

import pytest
from torch import nn

from paramedic.inject.fault import InjectionError
from paramedic.inject.places import described, learners, named, trainable

from .patients import net


def test_modules_by_name() -> None:
    model = net()
    assert named(model, ["3", "0"]) == [model[3], model[0]]
    with pytest.raises(InjectionError, match=r"no module `00` \(did you mean `0`\?\)"):
        named(model, ["00"])


def test_the_modules_that_learn() -> None:
    model = net()
    model[0].requires_grad_(False)
    assert [name for name, _ in learners(model)] == ["1", "3", "5", "7"]


def test_trainable_parameters_are_found_once() -> None:
    model = nn.Sequential(nn.Linear(2, 2), nn.Linear(2, 2))
    model[1].weight = model[0].weight
    assert len(trainable(model)) == 3
    assert len(trainable(model, ["1"])) == 2
    model[1].requires_grad_(False)
    with pytest.raises(InjectionError, match="`1` has no trainable parameter"):
        trainable(model, ["1"])
    model.requires_grad_(False)
    with pytest.raises(InjectionError, match="The model has no trainable parameter"):
        trainable(model)


def test_layers_in_words() -> None:
    assert described((), "all layers") == "all layers"
    assert described(("a", "b"), "") == "`a`, `b`"
    assert described(tuple("abcde"), "") == "`a`, `b`, `c` and 2 more"
