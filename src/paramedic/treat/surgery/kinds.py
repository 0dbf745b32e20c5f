"""Activation functions under one name, be they modules, functions or methods.

The name is that of the module in lower case: `relu`, `leakyrelu`, `logsoftmax`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from torch import nn

from paramedic.probe.layers import ACTIVATIONS
from paramedic.treat.surgery.operation import Refusal

# It halves its input, so it is a gate and a layer rather than an activation.
_CLASSES: dict[str, type[nn.Module]] = {
    kind.__name__.lower(): kind for kind in ACTIVATIONS if kind is not nn.GLU
}
_CLASSES["identity"] = nn.Identity
_ALIASES = {"linear": "identity", "none": "identity", "swish": "silu", "softmax2d": "softmax"}

CUSTOM = "custom"  # a module of the user's that is an activation of its own
ROWWISE = frozenset({"softmax", "logsoftmax", "softmin"})
KINDS = frozenset(_CLASSES) - {"identity", "softmax2d"} | {CUSTOM}
ELEMENTWISE = KINDS - ROWWISE
BOUNDED = frozenset({"sigmoid", "tanh", "hardsigmoid", "hardtanh", "softsign"})
RECTIFIERS = frozenset({"relu", "relu6", "threshold"})


@dataclass(frozen=True, slots=True)
class Part:
    """A module to put in: how it is made, and how that is written."""

    make: Callable[[], nn.Module]
    code: str


def kind_of_module(module: nn.Module) -> str | None:
    """The activation that a module is, also if its class is derived from one."""
    for base in type(module).__mro__:
        name = base.__name__.lower()
        if _CLASSES.get(name) is base and base is not nn.Identity:
            return _ALIASES.get(name, name)
    return None


def kind_of_call(name: str, args: Sequence[Any], kwargs: Mapping[str, Any]) -> str | None:
    """The activation that a function or method computes: `F.relu`, `torch.tanh`, `x.sigmoid_()`."""
    plain = name.strip("_").replace("_", "")
    if plain in KINDS:
        return plain
    lowest = kwargs.get("min", args[1] if len(args) > 1 else None)
    highest = kwargs.get("max", args[2] if len(args) > 2 else None)
    cuts = plain in ("clamp", "clampmin", "clip")
    zero = isinstance(lowest, int | float) and lowest == 0
    return "relu" if cuts and zero and highest is None else None


def part(new: str | Callable[[], nn.Module]) -> Part:
    """An activation by its name (`"relu"`, `"nn.LeakyReLU"`), or by what makes it."""
    if not isinstance(new, str):
        made = new()
        if not isinstance(made, nn.Module):
            raise TypeError(
                f"`new` must be the name of an activation, or make a module, but it made "
                f"{type(made).__name__}."
            )
        return Part(new, written(made))
    name = new.strip().removeprefix("nn.").removesuffix("()").replace("_", "").lower()
    name = _ALIASES.get(name, name)
    if name not in _CLASSES:
        known = ", ".join(sorted(_CLASSES))
        raise Refusal(f"There is no activation `{new}`; there are {known}.")
    kind = _CLASSES[name]

    def make() -> nn.Module:
        return kind(dim=-1) if name in ROWWISE else kind()

    return Part(make, written(make()))


def written(module: nn.Module) -> str:
    """A module as a line of code."""
    prefix = "nn." if type(module).__module__.startswith("torch.nn.modules.") else ""
    return f"{prefix}{module!r}"
