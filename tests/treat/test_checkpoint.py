"""Checkpoints: nested states as they were, and nothing but data."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from torch import nn

from paramedic.treat import checkpoint


def test_a_nested_state_comes_back(tmp_path: Path) -> None:
    state = {
        "weights": {"a": torch.arange(3.0), "b": torch.tensor(2)},
        "optimizer": {"state": {0: {"step": torch.tensor(1.0)}}, "groups": [{"lr": 0.1}]},
        "step": 7,
        "none": None,
    }
    checkpoint.save(tmp_path / "deep" / "x.safetensors", state)
    back = checkpoint.load(tmp_path / "deep" / "x.safetensors")
    assert torch.equal(back["weights"]["a"], torch.arange(3.0))
    assert torch.equal(back["optimizer"]["state"][0]["step"], torch.tensor(1.0))
    assert back["optimizer"]["groups"] == [{"lr": 0.1}]
    assert (back["step"], back["none"]) == (7, None)
    assert [path.name for path in (tmp_path / "deep").iterdir()] == ["x.safetensors"]


def test_what_is_no_data_is_refused(tmp_path: Path) -> None:
    with pytest.raises(TypeError, match="cannot hold function at `/call`"):
        checkpoint.save(tmp_path / "x", {"call": lambda: 1})


@pytest.mark.parametrize("content", [b"", b"garbage" * 10])
def test_a_broken_file_is_told(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "x").write_bytes(content)
    with pytest.raises(ValueError, match="is not a checkpoint of Paramedic"):
        checkpoint.load(tmp_path / "x")


def test_shared_weights_are_saved_for_anybody(tmp_path: Path) -> None:
    from safetensors.torch import load_model

    model = nn.Sequential(nn.Linear(2, 2), nn.Linear(2, 2))
    model[1].weight = model[0].weight
    checkpoint.weights_only(model, tmp_path / "w.safetensors")
    other = nn.Sequential(nn.Linear(2, 2), nn.Linear(2, 2))
    other[1].weight = other[0].weight
    load_model(other, str(tmp_path / "w.safetensors"))
    assert torch.equal(other[1].weight, model[0].weight)
