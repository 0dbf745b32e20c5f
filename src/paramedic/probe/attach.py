"""Attaching a monitor: whatever way models and optimizers are given in, and whether at all."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

from torch import nn
from torch.optim import Optimizer

from paramedic.probe import ranks
from paramedic.probe.attendant import Attending, Bystander
from paramedic.probe.monitor import Monitor
from paramedic.probe.options import Options
from paramedic.probe.unseen import Unseen
from paramedic.probe.unwatched import Unwatched
from paramedic.trace import TraceError

# What is wrong with what was given; anything else is our own error.
FOR_THE_USER = (ValueError, TypeError, ImportError, OSError, TraceError, ranks.Unfit)

Models = nn.Module | Sequence[nn.Module] | Mapping[str, nn.Module]


def attach(
    model: Models,
    optimizer: Optimizer | Sequence[Optimizer],
    options: Options,
    attending: Attending = Bystander,
) -> Monitor:
    """A monitor of this training; `attending` makes who stands by and may act."""
    models, optimizers = _named(model), _listed(optimizer)
    with Unseen():
        _check(models)
        if is_off():
            return Unwatched()
        tensors = [one for model in models.values() for one in model.parameters()]
        ranks.agree(tensors, "watched" if attending is Bystander else "treated")
        return Monitor(models, optimizers, options, attending)


def is_off() -> bool:
    """Whether the environment says `PARAMEDIC=off`: nothing of ours touches the run then."""
    setting = os.environ.get("PARAMEDIC", "on").strip().lower()
    if setting in ("off", "0", "false", "no"):
        return True
    if setting in ("", "on", "1", "true", "yes"):
        return False
    raise ValueError(
        f"The environment variable PARAMEDIC must be `on` or `off` but is {setting!r}."
    )


def _named(model: Models) -> dict[str, nn.Module]:
    if isinstance(model, nn.Module):
        return {"": _unwrapped(model)}
    if isinstance(model, Mapping):
        named = dict(model)
    elif isinstance(model, Sequence):
        named = {str(place): one for place, one in enumerate(model)}
    else:
        raise _wrong("model", "an `nn.Module`, or a list or mapping of them", model)
    for one in named.values():
        if not isinstance(one, nn.Module):
            raise _wrong("model", "a list or mapping of `nn.Module`", one)
    return {name: _unwrapped(one) for name, one in named.items()}


def _unwrapped(model: nn.Module) -> nn.Module:
    """The user's own module inside a wrapper for several devices, so that names stay theirs."""
    inner = getattr(model, "module", None)
    wrappers = ("DistributedDataParallel", "DataParallel")
    if type(model).__name__ in wrappers and isinstance(inner, nn.Module):
        return inner
    return model


def _listed(optimizer: Any) -> list[Optimizer]:
    several = list(optimizer) if isinstance(optimizer, Sequence) else [optimizer]
    found = [_innermost(one) for one in several]
    for one in found:
        if not isinstance(one, Optimizer):
            raise _wrong("optimizer", "a `torch.optim.Optimizer` or a list of them", one)
    if not found:
        raise ValueError("`optimizer` must not be an empty list.")
    return found


def _innermost(optimizer: Any) -> Any:
    """The optimizer that really steps, inside wrappers such as Accelerate's."""
    while not hasattr(optimizer, "_optimizer_step_pre_hooks"):
        inner = getattr(optimizer, "optimizer", None)
        if inner is None:
            break
        optimizer = inner
    return optimizer


def _check(models: Mapping[str, nn.Module]) -> None:
    if not models:
        raise ValueError("`model` must not be empty.")
    for name, model in models.items():
        if not any(parameter.requires_grad for parameter in model.parameters()):
            label = f"`{name}` ({type(model).__name__})" if name else f"`{type(model).__name__}`"
            raise ValueError(
                f"The model {label} has no trainable parameter, so there is no training to watch. "
                "Set `requires_grad=True` on what should learn."
            )


def _wrong(name: str, wanted: str, value: Any) -> TypeError:
    return TypeError(f"`{name}` must be {wanted} but got {type(value).__name__}.")
