"""`paramedic.checkup`: examine a model before it is trained."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

from torch import nn
from torch.nn.parameter import is_lazy
from torch.optim import Optimizer

from paramedic.checkup.calling import Forward, Loss, told
from paramedic.checkup.catalogue import choose
from paramedic.checkup.check import Check, Skip
from paramedic.checkup.options import Options
from paramedic.checkup.patient import Patient
from paramedic.checkup.preserving import preserved
from paramedic.checkup.report import Entry, Report, Status
from paramedic.checkup.subject import Subject, subject_of
from paramedic.probe.randomness import seed


def checkup(  # noqa: PLR0913 - one call, and all of it optional but the first two
    model: nn.Module,
    batch: Any,
    loss_fn: Loss | None = None,
    optimizer: Optimizer | None = None,
    *,
    forward: Forward | None = None,
    batch_axis: int | None = None,
    causal: bool | None = None,
    ordered: bool | None = None,
    memory_limit: int | None = None,
    seconds: float = 30.0,
    select: Sequence[str] = (),
    ignore: Sequence[str] = (),
) -> Report:
    """Examine a model before it is trained: what would go wrong, told now.

    Nothing is changed: the checks work on copies, and weights, buffers, gradients, modes and
    random streams are put back. A check that does not apply, or that raises, is skipped with a
    reason and the others go on.

    Args:
        model: what will be trained.
        batch: what your loop gives it: a tensor, a tuple whose last part is the target, or a
            mapping with `labels`, `label`, `targets`, `target` or `y`. At least two samples.
        loss_fn: called with the output and the target; None if the model computes its own loss.
        optimizer: only looked at.
        forward: `forward(model, batch)` gives the output, where the model is not simply called.
        batch_axis: the axis of the samples in the inputs; found out if not given.
        causal: whether predictions may not depend on later tokens; found out if not given.
        ordered: whether the order of a sequence of real numbers matters; not judged if not given.
        memory_limit: bytes that a training step may take; what the device has free if not given.
        seconds: about how long it may take.
        select: only these checks, by code (`C003`) or name (`gradient-flow`).
        ignore: not these checks.

    Example:
        >>> report = paramedic.checkup(model, (x, y), nn.CrossEntropyLoss())  # doctest: +SKIP
        >>> print(report)  # doctest: +SKIP
        >>> assert report.ok  # doctest: +SKIP
    """
    begun = time.perf_counter()
    checks = choose(select, ignore)
    options = Options(forward, batch_axis, causal, ordered, memory_limit, seconds)
    inner = _unwrapped(model)
    _require(inner, loss_fn, optimizer)
    originals = [one for one in (inner, loss_fn) if isinstance(one, nn.Module)]
    with preserved(*originals):
        seed()
        subject = subject_of(inner, batch, loss_fn, optimizer, options)
    entries = []
    for check in checks:
        with preserved(*originals):
            entries.append(_run(check, subject))
    count = sum(one.numel() for one in subject.model.parameters() if not is_lazy(one))
    return Report(type(inner).__name__, count, tuple(entries), time.perf_counter() - begun)


def _run(check: Check, subject: Subject) -> Entry:
    begun = time.perf_counter()
    seed()
    try:
        outcome = check.run(Patient(subject))
    except Skip as reason:
        outcome, status = check.outcome(f"{reason}."), Status.SKIPPED
    except Exception as error:  # noqa: BLE001 - a check must not take the others with it
        outcome, status = check.outcome(f"could not be run: {told(error)}."), Status.SKIPPED
    else:
        status = Status.FAILED if outcome.findings else Status.PASSED
    took = time.perf_counter() - begun
    facts = (outcome.reason, outcome.findings, outcome.measured)
    return Entry(check.code, check.slug, status, *facts, took)


def _unwrapped(model: Any) -> Any:
    """The user's own module inside what `torch.compile` or data parallelism put around it."""
    while type(model).__name__ in ("OptimizedModule", "DistributedDataParallel", "DataParallel"):
        inner = getattr(model, "_orig_mod", None) or getattr(model, "module", None)
        if not isinstance(inner, nn.Module):
            break
        model = inner
    return model


def _require(model: Any, loss_fn: Any, optimizer: Any) -> None:
    if not isinstance(model, nn.Module):
        raise TypeError(f"`model` must be an `nn.Module` but got {type(model).__name__}.")
    if loss_fn is not None and not callable(loss_fn):
        raise TypeError(
            "`loss_fn` must be callable with the output and the target but got "
            f"{type(loss_fn).__name__}."
        )
    if optimizer is not None and not isinstance(optimizer, Optimizer):
        raise TypeError(
            f"`optimizer` must be a `torch.optim.Optimizer` but got {type(optimizer).__name__}."
        )
