"""The modules of a model by name, each with the parameters that are its own.

Modules of torch say so themselves. A layer of Keras 3 is a module as well, but keeps the
variables of all layers inside it in one dictionary, the state of random generators among them,
and does not register those layers: there the lists of Keras are asked.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any, NamedTuple, TypeGuard

from torch import Tensor, nn

_HOME = "keras.src.layers.layer"
_DICTIONARY = "_torch_params"  # of all variables in a layer of Keras
_WRAPPER = "TorchModuleWrapper"  # a layer of Keras around a module of torch
_INPUT = "InputLayer"


class Part(NamedTuple):
    """A module, its path from the root, and the parameters that are its own."""

    path: str
    module: nn.Module
    own: tuple[Tensor, ...]


def parts(model: nn.Module) -> Iterator[Part]:
    """All modules of a model, itself included, each once, as `named_modules` has them."""
    return _walk(model, "", set())


def weights_of(model: nn.Module) -> Iterator[Tensor]:
    """What a model may learn. Nothing is written to it: a layer of Keras that is asked for its
    `parameters` may begin to keep them."""
    if _HOME not in sys.modules:
        yield from model.parameters()
        return
    for part in parts(model):
        yield from part.own


def is_keras(module: nn.Module) -> bool:
    """Whether a module is a layer or a model of Keras."""
    home = sys.modules.get(_HOME)
    kind = None if home is None else getattr(home, "Layer", None)
    return isinstance(kind, type) and isinstance(module, kind)


def is_keras_own(module: nn.Module) -> bool:
    """Whether it is one that comes with Keras."""
    return is_keras(module) and type(module).__module__.startswith("keras.")


def _walk(module: nn.Module, path: str, seen: set[int]) -> Iterator[Part]:
    if id(module) in seen:
        return
    seen.add(id(module))
    keras = is_keras(module)
    yield Part(path, module, _variables(module) if keras else _parameters(module))
    for name, child in _layers(module) if keras else module._modules.items():
        if child is not None:
            yield from _walk(child, f"{path}.{name}" if path else name, seen)


def _parameters(module: nn.Module) -> tuple[Tensor, ...]:
    return tuple(one for one in module._parameters.values() if one is not None)


def _variables(layer: Any) -> tuple[Tensor, ...]:
    """Weights of a layer of Keras. Those that it does not train (moving averages, seeds) are no
    more weights than the buffers of a module of torch."""
    if type(layer).__name__ == _WRAPPER:
        return ()  # the module inside has them
    values = (getattr(one, "_value", None) for one in getattr(layer, "_trainable_variables", ()))
    return tuple(one for one in values if isinstance(one, nn.Parameter))


def _layers(layer: Any) -> Iterator[tuple[str, nn.Module]]:
    """The layers inside a layer of Keras by their names, then modules of torch."""
    taken: set[str] = set()
    for one in getattr(layer, "_layers", ()):
        if _is_layer(one) and type(one).__name__ != _INPUT:
            yield _free(str(one.name), taken), one
    for name, module in layer._modules.items():
        if name != _DICTIONARY and module is not None and not is_keras(module):
            yield _free(name, taken), module


def _is_layer(one: Any) -> TypeGuard[Any]:
    return isinstance(one, nn.Module)


def _free(name: str, taken: set[str]) -> str:
    """The name, or a new one if a sibling has it already."""
    candidate, number = name, 2
    while candidate in taken:
        candidate, number = f"{name}_{number}", number + 1
    taken.add(candidate)
    return candidate
