"""A changed model must still run, in both modes, and put out what it did in the same shape."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from torch import Tensor, nn

from paramedic.treat.surgery.calling import output_of
from paramedic.treat.surgery.operation import Refusal, told


def verified(before: nn.Module, after: nn.Module, example: Any, *, what: str) -> nn.Module:
    """The changed model, if it runs on the example as the one before did; else a refusal."""
    for training in (False, True):
        try:
            expected = shapes(output_of(before, example, training=training))
        except Exception as error:
            if training:  # what did not run before need not run now
                return after
            raise Refusal(f"The model does not run on the example ({told(error)}).") from error
        try:
            found = shapes(output_of(after, example, training=training))
        except Exception as error:
            mode = "training" if training else "evaluation"
            raise Refusal(
                f"After {what} the model fails in {mode} mode ({told(error)}); change its "
                "definition instead, or try another remedy."
            ) from error
        if found != expected:
            raise Refusal(
                f"After {what} the output has the shape {found} instead of {expected}; try "
                "another remedy."
            )
    return after


def shapes(value: Any) -> Any:
    """The shapes of all tensors in a nest, in the same nest."""
    if isinstance(value, Tensor):
        return tuple(value.shape)
    if isinstance(value, Mapping):
        return {key: shapes(item) for key, item in value.items()}
    if isinstance(value, tuple | list):
        return [shapes(item) for item in value]
    return None
