"""The settings of a monitor: `test_watch.py` has the messages as a user meets them."""

from __future__ import annotations

from dataclasses import FrozenInstanceError
from pathlib import Path
from typing import Any

import pytest
from torch import nn

from paramedic.probe.options import ON_NAN, Options
from paramedic.types import Task


def test_defaults() -> None:
    options = Options()
    assert options.overhead == 0.01
    assert options.measure == "full"
    assert options.on_nan == "locate"
    assert options.size_limit == 256 * 2**20
    assert not options.strict
    assert options.trace is options.task is options.accumulate is options.loss_fn is None


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("overhead", None),
        ("overhead", 1),
        ("overhead", 1e-9),
        ("measure", "vitals"),
        ("accumulate", 1),
        ("accumulate", 1000),
        ("size_limit", 2**16),
        ("trace", Path("run.db")),
        ("loss_fn", nn.MSELoss()),
        ("loss_fn", len),
        *(("task", task.value) for task in Task),
        *(("on_nan", setting) for setting in ON_NAN),
    ],
)
def test_good_values_are_kept(name: str, value: Any) -> None:
    assert getattr(Options(**{name: value}), name) is value


@pytest.mark.parametrize(
    ("name", "value", "error"),
    [
        ("overhead", 0, ValueError),
        ("overhead", -0.1, ValueError),
        ("overhead", 1.5, ValueError),
        ("overhead", float("nan"), ValueError),
        ("overhead", True, ValueError),
        ("overhead", "0.01", ValueError),
        ("measure", "all", ValueError),
        ("measure", None, ValueError),
        ("on_nan", "", ValueError),
        ("on_nan", None, ValueError),
        ("task", "Regression", ValueError),
        ("task", 3, ValueError),
        ("accumulate", 0, ValueError),
        ("accumulate", -1, ValueError),
        ("accumulate", 2.0, ValueError),
        ("accumulate", True, ValueError),
        ("size_limit", 2**16 - 1, ValueError),
        ("size_limit", 1e9, ValueError),
        ("loss_fn", "mse", TypeError),
        ("loss_fn", 3, TypeError),
    ],
)
def test_bad_values_are_named(name: str, value: Any, error: type[Exception]) -> None:
    with pytest.raises(error, match=f"`{name}` must be .*but got"):
        Options(**{name: value})


@pytest.mark.parametrize(
    ("name", "value", "hint"),
    [
        ("task", "multiclass", "Did you mean 'multi-class'?"),
        ("measure", "vital", "Did you mean 'vitals'?"),
        ("on_nan", "locates", "Did you mean 'locate'?"),
    ],
)
def test_what_may_have_been_meant(name: str, value: str, hint: str) -> None:
    with pytest.raises(ValueError, match=hint):
        Options(**{name: value})


def test_no_hint_for_something_else() -> None:
    with pytest.raises(ValueError, match=r"but got 'xyz'\.$"):
        Options(measure="xyz")


def test_frozen() -> None:
    with pytest.raises(FrozenInstanceError):
        Options().strict = True  # type: ignore[misc]
