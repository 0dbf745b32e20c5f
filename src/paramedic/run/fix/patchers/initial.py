"""The weights that a training begins with."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from paramedic.run.fix.patch import Patch
from paramedic.run.fix.patcher import Job
from paramedic.run.fix.patchers.inputs import model_made
from paramedic.run.fix.source import Source, called

_BAD = ("zeros_", "ones_", "constant_", "normal_", "uniform_", "trunc_normal_", "eye_", "fill_",
        "zero_")  # fmt: skip
_SCHEMES = {"He's": "kaiming_uniform_", "Glorot's": "xavier_uniform_", "orthogonal": "orthogonal_"}


def reinitialise(job: Job) -> Iterator[Patch]:
    """Where weights are set by hand, by a scheme that suits them; else torch's own once more."""
    scheme = _SCHEMES.get(str(job.remedy.args.get("scheme")), "kaiming_uniform_")
    found = model_made(job)
    for source in _sources(job):
        changes = [
            (call, call.with_changes(func=call.func.with_changes(attr=cst.Name(scheme)),
                                     args=[call.args[0].with_changes(comma=cst.MaybeSentinel.DEFAULT)]))
            for call in source.all(cst.Call, called(*_BAD))
            if isinstance(call.func, cst.Attribute) and _is_of_weights(source, call)
        ]  # fmt: skip
        if changes:
            yield job.patch(source, source.replaced(*changes))
    if found is not None:
        yield from _reset(job, *found)


def _is_of_weights(source: Source, call: cst.Call) -> bool:
    """`nn.init.zeros_(layer.weight)`."""
    assert isinstance(call.func, cst.Attribute)
    return (
        source.code(call.func.value).endswith("init")
        and bool(call.args)
        and source.code(call.args[0].value).endswith("weight")
    )


def _reset(job: Job, source: Source, call: cst.Call) -> Iterator[Patch]:
    """A loop after the line `model = …` that draws all layers anew."""
    statement = source.statement(call)
    if not isinstance(statement, cst.SimpleStatementLine):
        return
    line = statement.body[0]
    if isinstance(line, cst.Assign) and isinstance(
        line.targets[0].target, cst.Name | cst.Attribute
    ):
        name = source.code(line.targets[0].target)
        code = (
            f"for layer in {name}.modules():\n"
            '    if hasattr(layer, "reset_parameters"):\n'
            "        layer.reset_parameters()\n"
        )
        yield job.patch(source, source.inserted(statement, code, after=True))


def _sources(job: Job) -> list[Source]:
    places = [*job.record.layers.values(), *job.record.places.values()]
    return [job.source(place) for place in {place.file: place for place in places}.values()]
