"""Running a model on an example without leaving a trace in it."""

from __future__ import annotations

import contextlib
import copy
import inspect
import warnings
from collections.abc import Iterator, Mapping
from typing import Any

import torch
from torch import nn
from torch.nn.parameter import is_lazy

from paramedic.probe.randomness import random_streams, seed
from paramedic.treat.surgery.operation import Refusal, told

_WRAPPERS = (
    "OptimizedModule",
    "DistributedDataParallel",
    "DataParallel",
    "FullyShardedDataParallel",
)


def arguments(model: nn.Module, example: Any) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """How an example is handed to the model: a tuple as arguments, a mapping by name, and each as
    one value if the model takes it so."""
    if isinstance(example, Mapping) and _fits(model, (), dict(example)):
        return (), dict(example)
    if isinstance(example, tuple) and not hasattr(example, "_fields") and _fits(model, example, {}):
        return example, {}
    return (example,), {}


def _fits(model: nn.Module, args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
    try:
        inspect.signature(model.forward).bind(*args, **kwargs)
    except TypeError:
        return False
    return True


def copied(model: nn.Module, example: Any) -> nn.Module:
    """A copy to operate on. Lazy modules get their shapes from the example."""
    if type(model).__name__ in _WRAPPERS or isinstance(model, torch.jit.ScriptModule):
        raise Refusal(
            f"The model is wrapped in {type(model).__name__}; operate on the model inside, "
            "and wrap it again."
        )
    try:
        twin = copy.deepcopy(model)
    except Exception as error:
        raise Refusal(
            f"The model cannot be copied ({told(error)}), so it cannot be operated on; make it "
            "deep-copyable, or change its definition."
        ) from error
    if any(is_lazy(one) for one in (*twin.parameters(), *twin.buffers())):
        with quiet():
            _called(twin, example)
    return twin


def output_of(model: nn.Module, example: Any, *, training: bool = False) -> Any:
    """What a model puts out, from the same random numbers at each call; it is not changed."""
    twin = copy.deepcopy(model).train(training)
    with quiet():
        return _called(twin, example)


def _called(model: nn.Module, example: Any) -> Any:
    args, kwargs = arguments(model, copy.deepcopy(example))
    return model(*args, **kwargs)


@contextlib.contextmanager
def quiet() -> Iterator[None]:
    """No gradients, no warnings, and random streams that are put back."""
    with random_streams(), torch.no_grad(), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        seed()
        yield


@contextlib.contextmanager
def step_by_step() -> Iterator[None]:
    """Without the fused path of torch's transformer layers, which hides what they do."""
    fast = torch.backends.mha.get_fastpath_enabled()
    torch.backends.mha.set_fastpath_enabled(False)
    try:
        yield
    finally:
        torch.backends.mha.set_fastpath_enabled(fast)
