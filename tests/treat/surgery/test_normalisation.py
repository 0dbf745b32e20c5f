from __future__ import annotations

import pytest
import torch
from torch import nn

from paramedic.treat.surgery import Refusal, insert_normalisation
from tests.treat.surgery.architectures import ARCHITECTURES, cnn, mlp


def _norms(model: nn.Module) -> list[str]:
    return [repr(one).partition(",")[0] for one in model.modules() if "Norm" in type(one).__name__]


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("mlp", ["BatchNorm1d(16", "BatchNorm1d(16"]),
        ("cnn-1d", ["BatchNorm1d(6", "BatchNorm1d(6"]),
        ("cnn", ["BatchNorm2d(4", "BatchNorm2d(8"]),
        ("cnn-3d", ["BatchNorm3d(4"]),
        ("tied-language-model", ["LayerNorm((16"]),
        ("lstm", ["LayerNorm((6"]),
        ("deep-sets", ["LayerNorm((8", "BatchNorm1d(8"]),
    ],
)
def test_the_kind_follows_from_what_is_normalised(name: str, expected: list[str]) -> None:
    architecture = ARCHITECTURES[name]
    after = insert_normalisation(architecture.model(), architecture.batch()).model
    assert _norms(after) == expected


def test_a_batch_of_one_gets_a_layer_normalisation() -> None:
    assert _norms(insert_normalisation(mlp(), torch.randn(1, 8)).model)[0] == "LayerNorm((16"
    assert _norms(insert_normalisation(cnn(), torch.randn(1, 1, 8, 8)).model)[0] == "GroupNorm(1"


def test_the_kind_can_be_chosen() -> None:
    after = insert_normalisation(mlp(), torch.randn(3, 8), kind="layer")
    assert _norms(after.model) == ["LayerNorm((16"] * 2
    with pytest.raises(ValueError, match="but got `group`"):
        insert_normalisation(mlp(), torch.randn(3, 8), kind="group")
    sequences = ARCHITECTURES["tied-language-model"]
    with pytest.raises(Refusal, match="wrong axis"):
        insert_normalisation(sequences.model(), sequences.batch(), kind="batch")


def test_names_of_weights_stay_where_the_activation_is_a_module() -> None:
    before, after = mlp(), insert_normalisation(mlp(), torch.randn(3, 8)).model
    assert set(before.state_dict()) <= set(after.state_dict())


def test_it_normalises() -> None:
    torch.manual_seed(0)
    after = insert_normalisation(mlp(), torch.randn(64, 8)).model.train()
    hidden = after[1][0](after[0](100 * torch.randn(64, 8)))
    assert torch.allclose(hidden.mean(0), torch.zeros(16), atol=1e-5)
    assert torch.allclose(hidden.var(0, correction=0), torch.ones(16), atol=1e-3)
