"""Functions that a module keeps as an attribute: `self.activation = F.relu`."""

from __future__ import annotations

from typing import Any

from torch import nn

from paramedic.treat.surgery.operation import Refusal

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
    new.train(module.training)
    if isinstance(module, nn.TransformerDecoderLayer):
        # A copy of such a layer forgets a module that is registered as its activation.
        if next(new.parameters(), None) is not None:
            raise Refusal(
                "A decoder layer of torch cannot hold an activation with weights; use another one."
            )
        vars(module)[name] = new
        return
    setattr(module, name, new)
    if isinstance(module, nn.TransformerEncoderLayer):
        module.activation_relu_or_gelu = _FUSED.get(type(new).__name__.lower(), 0)
