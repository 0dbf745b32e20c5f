"""Law 3: the run is bit for bit the same with and without us."""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import Any

import pytest
import torch

import paramedic

from .recipes import RECIPES

STEPS = 50


def _nothing(model: Any, optimizer: Any) -> Any:
    return contextlib.nullcontext()


@pytest.mark.parametrize(
    "settings", [{"overhead": None}, {"overhead": None, "on_nan": "replay"}, {}]
)
@pytest.mark.parametrize("name", RECIPES)
def test_bit_for_bit(name: str, settings: dict[str, Any], tmp_path: Path) -> None:
    def watched(model: Any, optimizer: Any) -> Any:
        return paramedic.watch(model, optimizer, trace=tmp_path / "run.db", strict=True, **settings)

    plain = RECIPES[name](STEPS, _nothing)
    seen = RECIPES[name](STEPS, watched)

    assert plain.batches == seen.batches
    assert plain.losses == seen.losses
    assert torch.equal(plain.random, seen.random)
    assert plain.weights.keys() == seen.weights.keys()
    for key, value in plain.weights.items():
        assert torch.equal(value, seen.weights[key]), key
    _same(plain.optimizer, seen.optimizer)


def _same(left: Any, right: Any) -> None:
    assert type(left) is type(right)
    if isinstance(left, torch.Tensor):
        assert torch.equal(left, right)
    elif isinstance(left, dict):
        assert left.keys() == right.keys()
        for key in left:
            _same(left[key], right[key])
    elif isinstance(left, list):
        for one, other in zip(left, right, strict=True):
            _same(one, other)
    else:
        assert left == right


def test_the_comparison_can_fail(tmp_path: Path) -> None:
    """One draw from the random stream by an observer would be seen."""

    @contextlib.contextmanager
    def rude(model: Any, optimizer: Any) -> Any:
        torch.rand(())
        yield

    plain = RECIPES["mlp_adam"](3, _nothing)
    disturbed = RECIPES["mlp_adam"](3, rude)
    assert plain.batches != disturbed.batches
