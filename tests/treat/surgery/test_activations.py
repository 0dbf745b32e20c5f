from __future__ import annotations

import pytest
import torch
from torch import Tensor, nn

from paramedic.treat.surgery import Refusal, activations, replace_activations
from tests.treat.surgery.architectures import ARCHITECTURES, Encoder, Recurrent, mlp


class _Swish(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        return x * torch.sigmoid(x)


def test_activations_are_told_by_place_and_kind() -> None:
    deep = ARCHITECTURES["deep-sigmoid"]
    assert activations(deep.model(), deep.batch()) == dict.fromkeys("1357", "sigmoid")
    assert activations(deep.model(), deep.batch(), "output") == {"9": "softmax"}
    assert activations(Recurrent(nn.RNN), torch.randn(2, 3, 5)) == {"body": "tanh"}


def test_only_the_named_ones_are_replaced() -> None:
    after = replace_activations(mlp(), torch.randn(3, 8), nn.ELU, which=["3"])
    assert [type(one) for one in after.model] == [
        nn.Linear, nn.ReLU, nn.Linear, nn.ELU, nn.Linear,
    ]  # fmt: skip
    assert after.layers == ("3",)


def test_an_unknown_name_is_refused_with_those_there_are() -> None:
    with pytest.raises(Refusal, match="no activation in `7`; there are some in `1`, `3`"):
        replace_activations(mlp(), torch.randn(3, 8), "tanh", which=["7"])
    with pytest.raises(ValueError, match="`which` must be"):
        replace_activations(mlp(), torch.randn(3, 8), "tanh", which="all")


def test_a_recurrent_layer_computes_with_the_new_function() -> None:
    model, x = Recurrent(nn.RNN), torch.randn(2, 3, 5)
    after = replace_activations(model, x, "relu").model
    twin = nn.RNN(5, 6, batch_first=True, nonlinearity="relu")
    twin.load_state_dict(model.body.state_dict())
    assert torch.equal(after.body(x)[0], twin(x)[0])


def test_the_fused_path_of_a_transformer_knows() -> None:
    """In evaluation torch computes ReLU or GELU in one piece, whatever the attribute says."""
    x = torch.randn(2, 3, 8)
    model = Encoder().eval()
    after = replace_activations(model, x, "tanh").model
    for layer in model.body.layers:
        layer.activation = torch.tanh
        layer.activation_relu_or_gelu = 0
    with torch.no_grad():
        assert torch.allclose(after(x), model(x))


def test_an_activation_of_the_user_may_use_what_it_replaces() -> None:
    model = nn.Sequential(nn.Linear(8, 8), nn.Sigmoid(), nn.Linear(8, 2))
    after = replace_activations(model, torch.randn(2, 8), _Swish)
    assert isinstance(after.model[1], _Swish)


def test_an_activation_with_parameters_suits_the_model() -> None:
    after = replace_activations(mlp().double(), torch.randn(2, 8).double(), nn.PReLU)
    assert after.model[1].weight.dtype is torch.float64
    assert after.model[1].weight is not after.model[3].weight
