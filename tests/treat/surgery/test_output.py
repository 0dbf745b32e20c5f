from __future__ import annotations

import pytest
import torch
from torch import Tensor, nn

from paramedic.treat.surgery import Refusal, add_output_activation, remove_output_activation
from tests.treat.surgery.architectures import ARCHITECTURES, Methods, UNet, mlp


class _Ending(nn.Module):
    """A place for an activation at the end, not used yet."""

    def __init__(self) -> None:
        super().__init__()
        self.body, self.output = mlp(), nn.Identity()

    def forward(self, x: Tensor) -> Tensor:
        return self.output(self.body(x)).squeeze(-1)


def test_without_its_activation_a_model_gives_logits() -> None:
    deep, x = ARCHITECTURES["deep-sigmoid"].model(), ARCHITECTURES["deep-sigmoid"].batch()
    operation = remove_output_activation(deep, x)
    assert torch.allclose(operation.model(x).softmax(-1), deep(x))
    assert operation.description == "Removed softmax at the output, in `9`."


def test_a_function_at_the_end_is_removed_from_the_code() -> None:
    model, x = Methods(), torch.randn(2, 8)
    after = remove_output_activation(model, x).model
    assert torch.allclose(after(x).sigmoid(), model(x))
    assert list(after.state_dict()) == list(model.state_dict())


def test_an_activation_is_added_where_there_is_a_place_for_it() -> None:
    operation = add_output_activation(_Ending(), torch.randn(2, 8), "sigmoid")
    assert isinstance(operation.model.output, nn.Sigmoid)
    assert operation.code == "model.output = nn.Sigmoid()"


def test_an_activation_that_is_there_is_replaced() -> None:
    operation = add_output_activation(Methods(), torch.randn(2, 8), "tanh")
    assert "Replaced sigmoid by nn.Tanh()" in operation.description


def test_softmax_of_pictures_goes_along_the_channels() -> None:
    x = torch.randn(2, 1, 8, 8)
    after = add_output_activation(UNet(), x, "softmax").model
    assert torch.allclose(after(x).sum(1), torch.ones(2, 8, 8))


def test_several_outputs_are_refused() -> None:
    several = ARCHITECTURES["variational"]
    with pytest.raises(Refusal, match="tuple, not one tensor"):
        add_output_activation(several.model(), several.batch(), "tanh")
