"""Running the failing batch once more, on a copy, under full tracing (`on_nan="replay"`).

Only for users who allowed it: the forward pass of a model is their code and may do more than
compute. The copy keeps the user's modules untouched, and the random streams are put back.
"""

from __future__ import annotations

import contextlib
import copy
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn
from torch.nn.modules.module import (
    register_module_forward_hook,
    register_module_forward_pre_hook,
)
from torch.utils._pytree import tree_map_only
from torch.utils.hooks import RemovableHandle

from paramedic.probe.backward import inside_backward
from paramedic.probe.call import Call
from paramedic.probe.forward import ForwardTap, remove_global_hook
from paramedic.probe.guard import Guard, harmless


class _Start(NamedTuple):
    """What is needed to run a forward pass again."""

    model: nn.Module
    args: Any
    kwargs: Mapping[str, Any]
    random: list[torch.Tensor]
    autocast: torch.dtype | None
    device: str


class Rerun:
    """Remembers how the last forward pass of each model began, and can repeat it on a copy."""

    def __init__(self, models: set[int], guard: Guard | None = None) -> None:
        self.guard = Guard(strict=True) if guard is None else guard
        self._models = models
        self._random: dict[int, list[torch.Tensor]] = {}
        self._starts: dict[int, _Start] = {}
        self._handles: list[RemovableHandle] = []

    def open(self) -> None:
        """Remember from now on."""
        # The random streams are read before the forward pass; only the hook after it is given
        # the keyword arguments.
        self._handles = [
            register_module_forward_pre_hook(self._before),
            register_module_forward_hook(self._after, with_kwargs=True),
        ]

    def close(self) -> None:
        """Stop, and let go of the last batch."""
        for handle in self._handles:
            remove_global_hook(handle)
        self._handles.clear()
        self.forget()

    def _is_ours(self, module: nn.Module) -> bool:
        if id(module) not in self._models or torch.compiler.is_compiling():
            return False
        return torch.is_grad_enabled() and not inside_backward()

    @harmless("replay")
    def _before(self, module: nn.Module, args: Any) -> None:
        if self._is_ours(module):
            self._random[id(module)] = _random_states(_device(module))

    @harmless("replay")
    def _after(self, module: nn.Module, args: Any, kwargs: Mapping[str, Any], output: Any) -> None:
        if not self._is_ours(module) or id(module) not in self._random:
            return
        device = _device(module)
        autocast = torch.get_autocast_dtype(device) if torch.is_autocast_enabled(device) else None
        random = self._random.pop(id(module))
        args, kwargs = tree_map_only(Tensor, _without_graph, (args, kwargs))
        self._starts[id(module)] = _Start(module, args, kwargs, random, autocast, device)

    def forget(self) -> None:
        """The backward pass is over: nobody will ask for this batch any more."""
        self._random.clear()
        self._starts.clear()

    def calls(self) -> list[Call]:
        """The calls of a repeated forward pass, as if the user's own modules had been called."""
        calls: list[Call] = []
        for start in list(self._starts.values()):
            with _with_functions():
                twin = copy.deepcopy(start.model)
                repeated = _run(twin, start)
            pairs = zip(twin.modules(), start.model.modules(), strict=True)
            originals = {id(ours): id(theirs) for ours, theirs in pairs}
            calls += [call._replace(key=originals[call.key]) for call in repeated]
        return calls


# What classes of tensors do is part of the forward pass.
_with_functions: Any = torch._C._EnableTorchFunction


def _without_graph(tensor: Tensor) -> Tensor:
    """The same values; what was computed stays something that was computed."""
    if tensor.grad_fn is None:
        return tensor
    return tensor.detach().requires_grad_().view_as(tensor)


def _run(twin: nn.Module, start: _Start) -> list[Call]:
    ours = {id(module) for module in twin.modules()}
    tap = ForwardTap(ours)
    with _same_randomness(start), torch.enable_grad(), _autocast(start):
        tap.open()
        try:
            twin(*start.args, **start.kwargs)
        finally:
            calls = tap.take()
            tap.close()
    return calls


def _device(module: nn.Module) -> str:
    return next((parameter.device.type for parameter in module.parameters()), "cpu")


def _random_states(device: str) -> list[torch.Tensor]:
    states = [torch.get_rng_state()]
    if device == "cuda":
        states.append(torch.cuda.get_rng_state())
    return states


def _restore(states: list[torch.Tensor]) -> None:
    torch.set_rng_state(states[0])
    if len(states) > 1:
        torch.cuda.set_rng_state(states[1])


@contextlib.contextmanager
def _same_randomness(start: _Start) -> Iterator[None]:
    now = _random_states(start.device)
    _restore(start.random)
    try:
        yield
    finally:
        _restore(now)


def _autocast(start: _Start) -> contextlib.AbstractContextManager[Any]:
    if start.autocast is None:
        return contextlib.nullcontext()
    return torch.autocast(start.device, dtype=start.autocast)
