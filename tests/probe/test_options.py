"""The settings of a monitor: `test_watch.py` has the messages as a user meets them."""

from __future__ import annotations

from dataclasses import FrozenInstanceError
from pathlib import Path
from typing import Any

import pytest
from torch import nn

from paramedic.diagnose.rules import RuleError
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


def test_the_rules_of_a_project_hold_for_watching(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "paramedic.toml").write_text('ignore = ["O"]\n[G001]\nratio = 1e-5\n')
    monkeypatch.chdir(tmp_path)
    found = {detector.code: detector for detector in Options().detectors()}
    assert not any(code.startswith("O") for code in found)
    assert found["G001"].thresholds()["ratio"] == 1e-5
    given = Options(thresholds={"G001": {"ratio": 1e-6}}, select=("G001",)).detectors()
    assert [detector.thresholds()["ratio"] for detector in given] == [1e-6]
    assert Options(rules=None).detectors() == ()


def test_a_mistake_in_the_rules_is_told_when_attaching(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(RuleError, match="did you mean `default`"):
        Options(rules="defualt").detectors()
    (tmp_path / "paramedic.toml").write_text("ignor = []\n")
    with pytest.raises(RuleError, match="did you mean `ignore`"):
        Options().detectors()
