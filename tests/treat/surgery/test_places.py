from __future__ import annotations

from torch import nn

from paramedic.treat.surgery.places import (
    assignment,
    expression,
    fresh_name,
    is_within,
    listed,
    put,
)
from tests.treat.surgery.architectures import Named, Nested, SharedLayer


def test_paths_are_written_as_python() -> None:
    assert expression(Nested(), "stages.early.0.1.0") == 'model.stages["early"][0][1][0]'
    assert expression(Named(), "parts.the-out") == 'model.parts["the-out"]'
    assert expression(Named(), "") == "model"


def test_a_shared_module_is_replaced_under_all_its_names() -> None:
    model = SharedLayer()
    assert assignment(model, "step", "nn.Sequential(…)") == (
        "model.step = model.again = nn.Sequential(model.step)"
    )
    new = nn.Linear(8, 8)
    assert put(model, "step", new) is model
    assert model.step is model.again is new


def test_the_old_module_may_be_inside_the_new_one() -> None:
    model = SharedLayer()
    old = model.step
    put(model, "step", nn.Sequential(old, nn.Identity()))
    assert model.again[0] is old


def test_what_is_kept_keeps_its_mode() -> None:
    model = nn.Sequential(nn.Sequential(nn.BatchNorm1d(2)))
    model[0][0].eval()
    put(model, "0", nn.Sequential(model[0], nn.Dropout()))
    assert model[0][1].training
    assert not model[0][0][0].training


def test_names_are_listed_and_made() -> None:
    assert listed(["a", "b"]) == "`a`, `b`"
    assert listed(list("abcdefgh")) == "`a`, `b`, `c`, `d`, `e`, `f` and 2 more"
    assert fresh_name(SharedLayer(), "act") == "act_1"
    assert is_within("a.b", ["a"])
    assert not is_within("ab", ["a"])
