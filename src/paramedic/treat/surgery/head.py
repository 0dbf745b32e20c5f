"""Another number of outputs: the last linear layer, made anew."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn

from paramedic.probe.randomness import random_streams
from paramedic.probe.randomness import seed as begin_at
from paramedic.treat.surgery.anatomy import Anatomy
from paramedic.treat.surgery.calling import copied, output_of
from paramedic.treat.surgery.operation import Operation, Refusal, told
from paramedic.treat.surgery.places import assignment, put
from paramedic.treat.surgery.survey import survey


def resize_output(model: nn.Module, example: Any, outputs: int, *, seed: int = 0) -> Operation:
    """Give the model another number of outputs, by a new last linear layer.

    Its weights are drawn anew; everything before it is kept.
    """
    if outputs < 1:
        raise ValueError(f"`outputs` must be at least 1 but got {outputs}.")
    anatomy = Anatomy(survey(copied(model, example), example))
    name, old = _last_linear(anatomy)
    changed = copied(model, example)
    with random_streams():
        begin_at(seed)
        new = nn.Linear(old.in_features, outputs, bias=old.bias is not None)
    new.to(device=old.weight.device, dtype=old.weight.dtype)
    changed = put(changed, name, new)
    _check(changed, example, outputs, name)
    code = (
        f"nn.Linear({old.in_features}, {outputs}{'' if old.bias is not None else ', bias=False'})"
    )
    label = name or type(model).__name__
    return Operation(
        model=changed,
        description=f"Gave `{label}` {outputs} outputs instead of {old.out_features}.",
        code=assignment(model, name, code),
        layers=(label,),
    )


def _last_linear(anatomy: Anatomy) -> tuple[str, nn.Linear]:
    last = anatomy.output_step()
    while last is not None and last.kind not in ("layer", "input") and len(last.sources) == 1:
        last = anatomy.steps[last.sources[0]]
    module = None if last is None else last.module
    if last is None or not isinstance(module, nn.Linear) or len(anatomy.calls(last.name)) != 1:
        raise Refusal(
            "The model does not end in one linear layer, so that its outputs cannot be counted "
            "anew; change its definition."
        )
    return last.name, module


def _check(model: nn.Module, example: Any, outputs: int, name: str) -> None:
    try:
        found = output_of(model, example)
    except Exception as error:
        raise Refusal(
            f"With {outputs} outputs in `{name}` the model fails ({told(error)})."
        ) from error
    if not isinstance(found, Tensor) or found.dim() < 2 or outputs not in found.shape[1:]:
        shape = tuple(found.shape) if isinstance(found, torch.Tensor) else type(found).__name__
        raise Refusal(
            f"With {outputs} outputs in `{name}` the model gives {shape}; change its code."
        )
