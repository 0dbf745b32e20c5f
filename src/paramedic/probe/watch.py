"""`paramedic.watch`: the one call that attaches a monitor to a training loop."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from torch import nn
from torch.optim import Optimizer

from paramedic.probe.monitor import Monitor
from paramedic.probe.options import Options
from paramedic.probe.unwatched import Unwatched

Models = nn.Module | Sequence[nn.Module] | Mapping[str, nn.Module]


def watch(  # noqa: PLR0913 - these are the settings a user knows, each with a default
    model: Models,
    optimizer: Optimizer | Sequence[Optimizer],
    *,
    loss_fn: Callable[..., Any] | None = None,
    trace: str | Path | None = None,
    overhead: float | None = 0.01,
    measure: str = "full",
    accumulate: int | None = None,
    task: str | None = None,
    on_nan: str = "locate",
    strict: bool = False,
    size_limit: int = 256 * 2**20,
    rules: str | None = "configured",
    select: Sequence[str] = (),
    ignore: Sequence[str] = (),
    thresholds: Mapping[str, Mapping[str, Any]] | None = None,
) -> Monitor:
    """Watch a training loop: measure, record and explain, without changing it.

    Nothing else has to be called. The monitor is a context manager, or is ended by `.close()`.
    Setting the environment variable `PARAMEDIC=off` turns this into a call that does nothing.

    Args:
        model: what is trained; several models as a list or, with names, as a mapping.
        optimizer: the optimizer, or a list of them.
        loss_fn: the loss function, where it is not one of torch's own: its name and, if it is a
            module, its targets are taken from it.
        trace: a file to record to. An existing file is never overwritten: `run.db` becomes
            `run-2.db`. A directory gets a new file named by the time. None keeps only the last
            frames, in memory.
        overhead: the share of the time of a step that watching may cost, on average. The first
            steps are always seen in full. None looks at every step.
        measure: `full`, or `vitals` for gradient norms and finiteness only.
        accumulate: how many backward passes make one step; found out if not given.
        task: `multi-class`, `binary`, `multi-label`, `regression` or `language-model`; inferred
            from the loss and the targets if not given.
        on_nan: what to do when a loss or a gradient is not finite: `locate` finds where it was
            born from what autograd keeps anyway; `replay` allows to run the failing batch once
            more on a copy of the model; `off` does neither.
        strict: raise internal errors instead of switching the failing part off (for tests).
        size_limit: bytes that the trace may take; old frames are thinned beyond it.
        rules: the rule set to judge by: `configured` is that of `paramedic.toml` or
            `pyproject.toml`, where there is one, else `default`; or `autotrainer`, `bttackler`,
            `training-doctor` for the rules of these systems. None only measures.
        select: only these detectors, by code (`G001`), family (`G`) or slug.
        ignore: not these detectors.
        thresholds: other thresholds than the defaults: `{"G001": {"ratio": 1e-4}}`.

    Example:
        >>> with paramedic.watch(model, optimizer, trace="run.db"):  # doctest: +SKIP
        ...     train(model, optimizer)
    """
    models, optimizers = _named(model), _listed(optimizer)
    options = Options(
        loss_fn, trace, overhead, measure, accumulate, task, on_nan, strict, size_limit,
        rules, tuple(select), tuple(ignore), thresholds or {},
    )  # fmt: skip
    _check(models)
    if is_off():
        return Unwatched()
    return Monitor(models, optimizers, options)


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
