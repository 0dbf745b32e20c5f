"""Finding the parts of a model that a fault is for."""

from __future__ import annotations

from collections.abc import Sequence

from torch import Tensor, nn

from paramedic.inject.discovery import nearest
from paramedic.inject.fault import InjectionError


def named(model: nn.Module, names: Sequence[str]) -> list[nn.Module]:
    """The modules of these names."""
    modules = dict(model.named_modules())
    for name in names:
        if name not in modules:
            raise InjectionError(f"The model has no module `{name}`{nearest(name, modules)}.")
    return [modules[name] for name in names]


def learners(model: nn.Module) -> list[tuple[str, nn.Module]]:
    """The modules with trainable parameters of their own, in the order of registration."""
    return [
        (name, module)
        for name, module in model.named_modules()
        if any(parameter.requires_grad for parameter in module.parameters(recurse=False))
    ]


def trainable(model: nn.Module, names: Sequence[str] = ()) -> list[Tensor]:
    """The trainable parameters of a model, or of some of its modules; each once."""
    modules = named(model, names) if names else [model]
    found = {id(one): one for module in modules for one in module.parameters() if one.requires_grad}
    if not found:
        where = ", ".join(f"`{name}`" for name in names) or "The model"
        raise InjectionError(f"{where} has no trainable parameter.")
    return list(found.values())


def described(names: Sequence[str], rest: str) -> str:
    """The names of a few layers in words, or what stands for all of them."""
    if not names:
        return rest
    shown = ", ".join(f"`{name}`" for name in names[:3])
    return f"{shown} and {len(names) - 3} more" if len(names) > 3 else shown
