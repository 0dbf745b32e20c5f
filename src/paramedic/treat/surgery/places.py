"""Where a module stands in a model, how that is written, and putting another one there."""

from __future__ import annotations

import torch
from torch import nn

from paramedic.treat.surgery.anatomy import Anatomy
from paramedic.treat.surgery.survey import Step


def expression(model: nn.Module, path: str) -> str:
    """A path as Python: `body.0.act` of a Sequential in `model` is `model.body[0].act`."""
    text, holder = "model", model
    for name in path.split(".") if path else []:
        if isinstance(holder, nn.ModuleDict):
            text += f'["{name}"]'
        elif isinstance(holder, nn.Sequential | nn.ModuleList) and name.isdigit():
            text += f"[{name}]"
        else:
            text += f".{name}" if name.isidentifier() else f'.get_submodule("{name}")'
        holder = holder.get_submodule(name)
    return text


def assignment(model: nn.Module, path: str, value: str) -> str:
    """The line that puts `value` at a path, and wherever else the same module stands; `…` in it
    is the module that stands there now."""
    old = model.get_submodule(path)
    places: dict[tuple[int, str], str] = {}
    for other, module in model.named_modules(remove_duplicate=False):
        if module is old:
            parent, _, name = other.rpartition(".")
            places.setdefault((id(model.get_submodule(parent)), name), other)
    targets = " = ".join(expression(model, place) for place in places.values())
    return f"{targets} = {value.replace('…', expression(model, path))}"


def put(model: nn.Module, path: str, new: nn.Module) -> nn.Module:
    """The model with another module at a path, and wherever else the same module stood."""
    old = model.get_submodule(path)
    kept = {id(module) for module in old.modules()}
    fresh = [module for module in new.modules() if id(module) not in kept]
    for module in fresh:  # what is kept also keeps its mode
        module.training = old.training
    if old is model:
        return new
    inside = {id(module) for module in fresh}
    for holder in list(model.modules()):
        for name, child in holder._modules.items():
            if child is old and id(holder) not in inside:
                holder._modules[name] = new
    return model


def is_within(path: str, others: list[str]) -> bool:
    """Whether a path is one of the others, or inside it."""
    return any(not one or path == one or path.startswith(f"{one}.") for one in others)


def like(new: nn.Module, step: Step, anatomy: Anatomy) -> nn.Module:
    """A new module with the device and the kind of numbers of what it will read."""
    dtype = step.dtype if step.dtype.is_floating_point else torch.float32
    return new.to(device=anatomy.survey.device, dtype=dtype)


def listed(names: list[str] | tuple[str, ...], most: int = 6) -> str:
    """Layers by name; more than a few are counted."""
    shown = ", ".join(f"`{name}`" for name in names[:most])
    rest = len(names) - most
    return f"{shown} and {rest} more" if rest > 0 else shown


def fresh_name(module: nn.Module, stem: str) -> str:
    """A name that a module has not given to anything yet."""
    number = 1
    while hasattr(module, f"{stem}_{number}"):
        number += 1
    return f"{stem}_{number}"
