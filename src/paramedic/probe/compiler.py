"""Living beside `torch.compile`: never traced by it, never the cause of a graph break."""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable, Iterable
from typing import Any, TypeVar

from torch import nn

Function = TypeVar("Function", bound=Callable[..., Any])


def never_traced(function: Function) -> Function:
    """Mark a function of ours that user code calls: the compiler skips it and all it calls.

    `torch.compiler.disable` does this by a wrapper around each call and imports the compiler; a
    mark on the code object costs nothing. Where torch has no such mark, nothing is done.
    """
    try:
        from torch._C._dynamo import eval_frame

        skip = eval_frame._FrameAction.SKIP
        strategy = eval_frame._FrameExecStrategy(skip, skip)
        eval_frame.set_code_exec_strategy(function.__code__, strategy)
    except (ImportError, AttributeError):
        pass
    return function


def is_compiled(model: nn.Module) -> bool:
    """Whether `torch.compile` has been applied to the model or to a part of it."""
    return any(
        type(module).__name__ == "OptimizedModule" or module._compiled_call_impl is not None
        for module in model.modules()
    )


class Compiler:
    """Whether `torch.compile` is used in this process, without importing it.

    A global hook makes compiled modules warn and compile again, whoever they belong to, so none
    is set then. What is watched, `models`, may have been given to it already.
    """

    def __init__(self, models: Iterable[nn.Module]) -> None:
        self._asked = _asked()
        self._awaited = self._asked > 0 and _is_awaited(models)

    def is_used(self) -> bool:
        """Whether something is compiled, or will be when it is called."""
        return self._awaited or _asked() > self._asked or anything_compiled()


def _asked() -> int:
    """How often something was given to `torch.compile`: each time torch sees to its own patches,
    which it makes once."""
    patcher = getattr(sys.modules.get("torch._dynamo.eval_frame"), "TorchPatcher", None)
    told = getattr(getattr(patcher, "patch", None), "cache_info", None)
    return 0 if told is None else int(told().hits + told().misses)


def _is_awaited(models: Iterable[nn.Module]) -> bool:
    """Whether one of these is inside of a module that it has made. All objects are not asked for:
    to hold a tuple that another thread is about to build would be an error in that thread."""
    holders = gc.get_referrers(*models)
    return any(type(one) is dict and "_orig_mod" in one for one in holders)


def anything_compiled() -> bool:
    """Whether the compiler has been at work in this process."""
    compiler = sys.modules.get("torch._dynamo.utils")
    return compiler is not None and bool(compiler.counters["frames"])
