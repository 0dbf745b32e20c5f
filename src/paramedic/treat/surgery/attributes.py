"""Functions that a module keeps as an attribute: `self.activation = F.relu`."""

from __future__ import annotations

from typing import Any

from torch import nn

_TRANSFORMERS = (nn.TransformerEncoderLayer, nn.TransformerDecoderLayer)
_FUSED = {"relu": 1, "gelu": 2}  # what the fused path of torch's transformer layers can compute


def holders(module: nn.Module, function: Any) -> list[str]:
    """The attributes that hold a function."""
    return [
        name
        for name, value in vars(module).items()
        if callable(value) and not name.startswith("_") and value == function
    ]


def hold(module: nn.Module, name: str, new: nn.Module) -> None:
    """Put a module in the place of a function."""
    setattr(module, name, new.train(module.training))
    if isinstance(module, _TRANSFORMERS):
        module.activation_relu_or_gelu = _FUSED.get(type(new).__name__.lower(), 0)
