"""Computing without being seen: modes and classes of tensors that the program has made.

A mode that counts operations would count ours, a class that forbids some would forbid them to us,
and selective checkpointing would keep what we read.
"""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import Any

import torch
from torch import Tensor
from torch.utils._python_dispatch import _disable_current_modes

_WithoutFunctions: Any = torch._C.DisableTorchFunction
_modes = torch._C._len_torch_dispatch_stack
_ORDINARY: Any = torch._C._disabled_torch_dispatch_impl


class Unseen:
    """While this lasts, no mode and no `__torch_function__` of the program is called in this
    thread. Entered at each step: as short as can be."""

    __slots__ = ("_functions", "_modes")

    def __enter__(self) -> None:
        self._functions = _WithoutFunctions()
        self._functions.__enter__()
        self._modes: AbstractContextManager[Any] | None = None
        if _modes():
            self._modes = _disable_current_modes()
            self._modes.__enter__()

    def __exit__(self, *error: object) -> None:
        if self._modes is not None:
            self._modes.__exit__(None, None, None)
        self._functions.__exit__(None, None, None)


def has_modes() -> bool:
    """Whether a mode of the program is on that would see each operation."""
    return bool(_modes())


def is_readable_now(tensors: Any) -> bool:
    """Whether there are numbers behind these tensors that nobody sees us read: not while a
    function is transformed, traced or captured, nor where a class of the program answers."""
    if torch._C._functorch.peek_interpreter_stack() is not None or torch._C._is_tracing():
        return False
    if any(_is_answered(one) for one in tensors):
        return False
    return not (any(one.is_cuda for one in tensors) and torch.cuda.is_current_stream_capturing())


def _is_answered(tensor: Tensor) -> bool:
    """Whether the class of a tensor has operations of its own; a DTensor has numbers, too."""
    kind = type(tensor)
    if kind is Tensor or kind.__torch_dispatch__ is _ORDINARY:
        return False
    return kind.__name__ != "DTensor"
