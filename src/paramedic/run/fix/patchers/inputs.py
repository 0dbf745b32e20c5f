"""Inputs on a usual scale, whatever path they take into the model."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from paramedic.run.fix.patch import Patch
from paramedic.run.fix.patcher import Job
from paramedic.run.fix.source import Source, called, expression

_LAYERS = {"Linear": "1d", "Conv1d": "1d", "Conv2d": "2d", "Conv3d": "3d"}


def standardise(job: Job) -> Iterator[Patch]:
    """A normalisation without weights in front of the model: it learns mean and spread of each
    feature from the training data, and evaluations pass it, too."""
    executed = sorted(job.record.chart.layers, key=lambda layer: layer.order)
    first = next((one.kind for one in executed if one.parameters), "")
    found = model_made(job)
    if found is None or first not in _LAYERS:
        return
    source, call = found
    prefix = _prefix(source)
    norm = f"{prefix}LazyBatchNorm{_LAYERS[first]}(affine=False)"
    code = source.code(call)
    if called("Sequential")(call) and call.args and not call.args[0].star:
        first_arg = cst.Arg(expression(norm), comma=call.args[0].comma)
        changed: cst.BaseExpression = call.with_changes(args=[first_arg, *call.args])
    else:
        changed = expression(f"{prefix}Sequential({norm}, {code})")
    yield job.patch(source, source.replaced((call, changed)))


def model_made(job: Job) -> tuple[Source, cst.Call] | None:
    """The call that made the model: it has the class of the model for a name."""
    place = job.record.root_place
    if place is None:
        return None
    source = job.source(place)
    call = source.at(place.line, cst.Call, called(job.record.root_class))
    return None if call is None else (source, call)


def _prefix(source: Source) -> str:
    """How the program calls `torch.nn`."""
    short = "nn." in source.text and ("import torch.nn as nn" in source.text
                                      or "from torch import nn" in source.text)  # fmt: skip
    return "nn." if short else "torch.nn."
