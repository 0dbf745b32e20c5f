from __future__ import annotations

import pytest
import torch
from torch import nn

from paramedic.treat.surgery import Refusal, add_dropout
from tests.treat.surgery.architectures import ARCHITECTURES, FunctionalCnn, mlp


def _shares(model: nn.Module) -> list[float]:
    return [one.p for one in model.modules() if isinstance(one, nn.Dropout)]


def test_it_is_put_behind_the_activations() -> None:
    assert _shares(add_dropout(mlp(), torch.randn(2, 8)).model) == [0.1, 0.1]
    assert _shares(add_dropout(mlp(), torch.randn(2, 8), 0.3).model) == [0.3, 0.3]


def test_it_is_raised_by_a_tenth_to_at_most_a_half() -> None:
    model = nn.Sequential(
        nn.Linear(8, 8), nn.ReLU(), nn.Dropout(0.2), nn.Linear(8, 8), nn.Dropout(0.45),
        nn.Dropout(0.7),
    )  # fmt: skip
    operation = add_dropout(model, torch.randn(2, 8))
    assert _shares(operation.model) == pytest.approx([0.3, 0.5, 0.7])
    assert operation.layers == ("2", "4")
    assert _shares(model) == [0.2, 0.45, 0.7]


def test_recurrent_layers_and_attention_have_one_too() -> None:
    stack = ARCHITECTURES["gru-stack"]
    assert add_dropout(stack.model(), stack.batch()).model.body.dropout == pytest.approx(0.2)
    encoder = ARCHITECTURES["transformer"]
    after = add_dropout(encoder.model(), encoder.batch()).model
    assert after.body.layers[0].self_attn.dropout == pytest.approx(0.2)
    assert _shares(after) == pytest.approx([0.2] * len(_shares(after)))


def test_functional_dropout_becomes_a_module() -> None:
    operation = add_dropout(FunctionalCnn(), torch.randn(2, 1, 8, 8), raise_only=True)
    assert _shares(operation.model) == pytest.approx([0.3])


def test_there_must_be_something_to_raise() -> None:
    with pytest.raises(Refusal, match="no dropout to raise"):
        add_dropout(mlp(), torch.randn(2, 8), raise_only=True)
    full = nn.Sequential(nn.Linear(8, 8), nn.ReLU(), nn.Dropout(0.5), nn.Linear(8, 2))
    with pytest.raises(Refusal, match="more would do harm"):
        add_dropout(full, torch.randn(2, 8))
    with pytest.raises(ValueError, match=r"but got 1\.5"):
        add_dropout(mlp(), torch.randn(2, 8), 1.5)
