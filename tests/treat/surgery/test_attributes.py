from __future__ import annotations

import copy

import pytest
import torch
import torch.nn.functional as F
from torch import nn

from paramedic.treat.surgery import Refusal
from paramedic.treat.surgery.attributes import hold, holders
from tests.treat.surgery.architectures import FunctionAttribute


def test_the_attribute_that_holds_a_function_is_found() -> None:
    assert holders(FunctionAttribute(), torch.tanh) == ["activation"]
    assert holders(FunctionAttribute(), torch.relu) == []
    assert holders(nn.TransformerEncoderLayer(4, 1), F.relu) == ["activation"]


def test_a_module_takes_its_place() -> None:
    model = FunctionAttribute().eval()
    hold(model, "activation", nn.ELU())
    assert isinstance(model.activation, nn.ELU)
    assert not model.activation.training


def test_a_transformer_layer_is_told_what_it_can_fuse() -> None:
    layer = nn.TransformerEncoderLayer(4, 1)
    hold(layer, "activation", nn.ELU())
    assert layer.activation_relu_or_gelu == 0
    hold(layer, "activation", nn.GELU())
    assert layer.activation_relu_or_gelu == 2


def test_a_copy_of_a_decoder_layer_remembers() -> None:
    layer = nn.TransformerDecoderLayer(4, 1)
    hold(layer, "activation", nn.ELU())
    assert isinstance(copy.deepcopy(layer).activation, nn.ELU)
    with pytest.raises(Refusal, match="with weights"):
        hold(layer, "activation", nn.PReLU())
