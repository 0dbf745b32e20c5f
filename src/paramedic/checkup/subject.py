"""Whom the check-up is about: the originals, and what is found out about them once."""

from __future__ import annotations

import copy
import time
from dataclasses import dataclass, field, replace
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.parameter import is_lazy
from torch.optim import Optimizer

from paramedic.checkup.batch import Batch
from paramedic.checkup.calling import Calling, CannotCall, Loss, find_calling, told
from paramedic.checkup.check import Skip
from paramedic.checkup.embeddings import Lookup, Lookups
from paramedic.checkup.nest import flatten, rebuild
from paramedic.checkup.options import Options

_SAMPLES = 8  # that most checks look at
_FORWARD = 1 / 120  # share of the whole time that one forward pass may take


@dataclass(frozen=True, slots=True)
class Subject:
    """The originals, and how they work together.

    `model` is what copies are made of: the original, or if that is lazy a copy that has its shapes.
    `small` is the part of the batch that most checks use; `calling` is None when the model cannot
    be called, and `problem` says why; `lookups` are the inputs that are indices, by their place.
    """

    model: nn.Module
    original: nn.Module
    loss_fn: Loss | None
    optimizer: Optimizer | None
    options: Options
    batch: Batch
    small: Batch
    calling: Calling | None = None
    problem: str = ""
    fitting: bool = False
    lookups: dict[int, Lookup] = field(default_factory=dict)
    positions: int = 0  # rows of the table of position embeddings, 0 without one
    deadline: float = 0.0


def subject_of(
    model: nn.Module, nest: Any, loss_fn: Loss | None, optimizer: Optimizer | None, options: Options
) -> Subject:
    """Find out how the model is called, on copies."""
    begun = time.monotonic()
    nest = _on_device(nest, model)
    plain = Batch.of(nest, axis=options.batch_axis)
    until = begun + options.seconds
    subject = Subject(model, model, loss_fn, optimizer, options, plain, plain, deadline=until)
    twin, loss = duplicate(model, loss_fn)
    try:
        calling = find_calling(twin, nest, loss, options.forward)
    except CannotCall as error:
        return replace(subject, problem=str(error), fitting=error.fitting)
    if any(is_lazy(one) for one in model.parameters()):
        subject = replace(subject, model=twin)
    batch = Batch.of(nest, calling.way.target, options.batch_axis)
    known = replace(subject, calling=calling, batch=batch, small=batch)
    try:
        return _with_lookups(replace(known, small=_small(known)))
    except Exception as error:  # noqa: BLE001 - the checks say it better, each for itself
        return replace(known, problem=f"in evaluation mode it raises {told(error)}")


def duplicate(model: nn.Module, loss_fn: Loss | None) -> tuple[nn.Module, Loss | None]:
    """Copies that know each other as the originals do; the originals if they cannot be copied."""
    memo = {}
    for module in model.modules():
        for value in vars(module).values():
            # Results that a module keeps, as old weight norms do, are not copied by torch.
            if isinstance(value, Tensor) and not value.is_leaf:
                memo[id(value)] = value.detach().clone()
    try:
        return copy.deepcopy((model, loss_fn), memo)
    except Exception:  # noqa: BLE001 - locks, open files, tensors that are not leaves …
        return model, loss_fn


def _on_device(nest: Any, model: nn.Module) -> Any:
    """The batch where the model is."""
    devices = {one.device for one in model.parameters() if not is_lazy(one)}
    if len(devices) != 1:
        return nest
    device = devices.pop()
    moved = [one.to(device) for one in flatten(nest)]
    return rebuild(nest, moved) if any(one.device != device for one in flatten(nest)) else nest


def _small(subject: Subject) -> Batch:
    """So many samples that a forward pass takes a small part of the time there is."""
    batch = subject.batch
    if batch.uneven or batch.size <= 2:
        return batch
    count = min(batch.size, _SAMPLES)
    while count > 2 and _seconds(subject, batch.take(count)) > _FORWARD * subject.options.seconds:
        count = max(2, count // 2)
    return batch.take(count)


def _seconds(subject: Subject, batch: Batch) -> float:
    twin, _ = duplicate(subject.model, None)
    twin.eval()
    assert subject.calling is not None
    times = []
    with torch.no_grad():
        for _ in range(2):  # the first pass also sets things up
            nest = batch.fresh()
            begun = time.perf_counter()
            subject.calling.output(twin, nest)
            times.append(time.perf_counter() - begun)
    return min(times)


def _with_lookups(subject: Subject) -> Subject:
    """Learn which inputs are tokens."""
    assert subject.calling is not None
    twin, _ = duplicate(subject.model, None)
    twin.eval()
    watcher = Lookups()
    with torch.no_grad(), watcher:
        subject.calling.output(twin, subject.small.fresh())
    lookups = {
        place: lookup
        for place in subject.small.inputs
        if not subject.small.tensors[place].is_floating_point()
        and (lookup := watcher.of(subject.small.tensors[place])) is not None
    }
    length = subject.small.length() if subject.small.inputs else 0
    return replace(subject, lookups=lookups, positions=watcher.positions(length) if length else 0)


def require_two(batch: Batch) -> None:
    """Skip unless there are two samples to compare."""
    if batch.uneven:
        raise Skip(f"the batch cannot be cut into samples: {batch.uneven}")
    if batch.size < 2:
        raise Skip("the batch has a single sample; give at least two")
