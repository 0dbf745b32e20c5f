"""Seeing every backward pass of the process: what it started from, and the moment it is over.

Right after `backward` returns, and before the user can clip, unscale or step, the gradients are
what the loss gave: on every rank, over all shards, whatever optimizer follows. No hook of torch
marks that moment for the whole pass, and none shows the loss, so while somebody is watching
`torch.autograd.backward` (which `Tensor.backward` calls) is wrapped.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol

import torch
from torch.autograd.graph import GradientEdge

from paramedic.probe.compiler import never_traced
from paramedic.probe.guard import Guard
from paramedic.probe.isolation import tell
from paramedic.probe.watchpoint import Watchpoint

_current_backward: Callable[[], int] = torch._C._current_graph_task_id


class BackwardObserver(Protocol):
    """Is told of each outermost backward pass, in the thread that runs it.

    `roots` are the tensors it starts from: none if it starts from an edge of the graph.
    """

    @property
    def guard(self) -> Guard:
        """Hears of errors."""

    def before_backward(self, roots: Sequence[torch.Tensor]) -> None: ...

    def after_backward(self) -> None: ...


def inside_backward() -> bool:
    """Whether this code runs within a backward pass (a hook, or a recomputed forward)."""
    return _current_backward() != -1


def _parts(tensors: Any) -> tuple[tuple[Any, ...], tuple[torch.Tensor, ...]]:
    """What a backward pass starts from, and the tensors among that."""
    single = isinstance(tensors, torch.Tensor | GradientEdge)
    starts = (tensors,) if single else tuple(tensors)  # it may be an iterator, good for one use
    return starts, tuple(start for start in starts if isinstance(start, torch.Tensor))


@never_traced
def _observed_backward(tensors: Any, *args: Any, **kwargs: Any) -> None:
    passes = backward_passes
    # Re-entrant checkpointing runs a backward inside a backward: only the outermost one counts.
    if not passes.observers or passes.inside.now or _current_backward() != -1:
        passes.call(tensors, *args, **kwargs)
        return
    if len(passes.observers) > 1 or type(tensors) is not torch.Tensor:
        _observed_by_all(tensors, *args, **kwargs)
        return
    # Nearly always one observer and one loss: flat, since a call costs a fast loop microseconds.
    observers, roots = passes.observers, (tensors,)
    (observer,) = observers
    elsewhere = False
    try:
        elsewhere = passes.is_elsewhere(observer, roots)
        if not elsewhere:
            observer.before_backward(roots)
    except Exception as error:  # noqa: BLE001 - raised again if the guard is strict
        observer.guard.failed("backward", error)
    if elsewhere:
        passes.call(tensors, *args, **kwargs)
        return
    if passes.observers is not observers:  # it has found a training, whose first pass this is
        _observed_by_all(tensors, *args, called=[observer], **kwargs)
        return
    passes.inside.now = True
    try:
        passes.original(roots, *args, **kwargs)
    finally:
        passes.inside.now = False
    try:
        observer.after_backward()
    except Exception as error:  # noqa: BLE001 - raised again if the guard is strict
        observer.guard.failed("backward", error)


def _observed_by_all(
    tensors: Any, *args: Any, called: Sequence[BackwardObserver] = (), **kwargs: Any
) -> None:
    """All observers, also those that come while others are being called; `called` were before.

    Who looks for trainings comes first: it may find the one that this pass is of.
    """
    starts, asked, told = tensors, list(called), list(called)
    passes = backward_passes
    try:
        starts, roots = _parts(tensors)
        while new := [one for one in passes.listeners if not _among(one, asked)]:
            new = [one for one in new if passes.is_everywhere(one)] or new
            asked += new
            for observer in new:
                if not passes.is_elsewhere(observer, roots):
                    told.append(observer)
                    _tell(observer, observer.before_backward, roots)
    except Exception as error:
        if any(one.guard.strict for one in asked):
            raise
        tell("backward", error)
    passes.call(starts, *args, **kwargs)
    for observer in told:
        _tell(observer, observer.after_backward)


def _tell(observer: BackwardObserver, method: Callable[..., None], *args: Any) -> None:
    try:
        method(*args)
    except Exception as error:  # noqa: BLE001 - raised again if the guard is strict
        observer.guard.failed("backward", error)


def _among(observer: BackwardObserver, others: Sequence[BackwardObserver]) -> bool:
    return any(observer is one for one in others)


backward_passes: Watchpoint[BackwardObserver] = Watchpoint(
    torch.autograd, "backward", _observed_backward
)
