"""Whom the check-up is about: the originals, and what is found out about them once."""

from __future__ import annotations

import contextlib
import copy
import time
from dataclasses import dataclass, field, replace
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.parameter import is_lazy
from torch.optim import Optimizer

from paramedic.checkup.batch import Batch
from paramedic.checkup.calling import Calling, CannotCall, Loss, find_calling, prediction_in
from paramedic.checkup.check import Skip
from paramedic.checkup.embeddings import Lookup, Lookups
from paramedic.checkup.language import is_language_model
from paramedic.checkup.nest import flatten, rebuild
from paramedic.checkup.options import Options

_SAMPLES = 8  # that most checks look at
_TOKENS = 64  # of each sample of a text
_FORWARD = 1 / 200  # share of the whole time that one forward pass may take


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
    language_model: bool = False  # one prediction per token, of the token that follows
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
    try:
        twin, calling = _called(subject, nest)
    except CannotCall as error:
        return replace(subject, problem=str(error), fitting=error.fitting)
    if any(is_lazy(one) for one in model.parameters()):
        subject = replace(subject, model=twin)
    batch = Batch.of(nest, calling.way.target, options.batch_axis)
    known = replace(subject, calling=calling, batch=batch, small=batch)
    try:
        return _with_small(_with_lookups(known))
    except Exception:  # noqa: BLE001 - the checks say it better, each for itself
        return known


def _called(subject: Subject, nest: Any) -> tuple[nn.Module, Calling]:
    """The way to call the model, tried on few samples where there are many, else on all."""
    few = subject.batch
    cut = not few.uneven and few.size > _SAMPLES
    for given in ([few.take(_SAMPLES).nest] if cut else []) + [nest]:
        twin, loss = duplicate(subject.model, subject.loss_fn)
        try:
            return twin, find_calling(twin, given, loss, subject.options.forward)
        except CannotCall:
            if given is nest:
                raise
    raise AssertionError("the last one returns or raises")


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


def _with_lookups(subject: Subject) -> Subject:
    """Learn, from a forward pass of two samples, which inputs are tokens and what they are for."""
    assert subject.calling is not None
    batch = subject.batch if subject.batch.uneven else subject.batch.take(2)
    twin, _ = duplicate(subject.model, None)
    twin.eval()
    watcher = Lookups()
    with torch.no_grad(), watcher:
        output = subject.calling.output(twin, batch.fresh())
    lookups = {
        place: lookup
        for place in batch.inputs
        if not batch.tensors[place].is_floating_point()
        and (lookup := watcher.of(batch.tensors[place])) is not None
    }
    prediction = prediction_in(output)
    shifts = subject.calling.way.computes_loss
    language = prediction is not None and is_language_model(
        batch, prediction, lookups, shifts_itself=shifts
    )
    length = batch.length() if batch.inputs else 0
    positions = watcher.positions(length) if length else 0
    return replace(subject, lookups=lookups, positions=positions, language_model=language)


def _with_small(subject: Subject) -> Subject:
    """Choose so many samples, and of a text so many tokens, that a forward pass is quick."""
    batch = subject.batch
    if batch.uneven or batch.size < 2:
        return subject
    two = batch.take(2)
    if subject.language_model and batch.length() > _TOKENS:
        with contextlib.suppress(Exception):  # that it takes one length only is told by C002
            _seconds(subject, two.of_length(_TOKENS))
            batch, two = batch.of_length(_TOKENS), two.of_length(_TOKENS)
    affordable = 2 * _FORWARD * subject.options.seconds / _seconds(subject, two)
    count = max(2, min(batch.size, _SAMPLES, int(affordable)))
    return replace(subject, small=batch.take(count))


def _seconds(subject: Subject, batch: Batch) -> float:
    """How long a forward pass takes."""
    assert subject.calling is not None
    twin, _ = duplicate(subject.model, None)
    twin.eval()
    nest = batch.fresh()
    with torch.no_grad():
        begun = time.perf_counter()
        subject.calling.output(twin, nest)
        return time.perf_counter() - begun


def require_two(batch: Batch) -> None:
    """Skip unless there are two samples to compare."""
    if batch.uneven:
        raise Skip(f"the batch cannot be cut into samples: {batch.uneven}")
    if batch.size < 2:
        raise Skip("the batch has a single sample; give at least two")
