"""The line that makes the optimizer: its rate, its class, what it is given."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import libcst as cst

from paramedic.prescribe.cure import rounded, short
from paramedic.run.fix.patch import Patch
from paramedic.run.fix.patcher import Job
from paramedic.run.fix.source import Source, argument, expression, last_name
from paramedic.run.fix.values import change

_MILDER = 4.0  # a dose is a guess: what is this many times it is tried, too
_RATE = 1  # its place among the arguments of every optimizer of torch


def scale_rate(job: Job) -> Iterator[Patch]:
    """The learning rate, where it is defined; then a milder and a stronger dose."""
    factor = job.remedy.args.get("factor")
    rate = _rate(job)
    if rate is None or not isinstance(factor, int | float):
        return
    for dose in (factor, _MILDER * factor, factor / _MILDER):
        new = short(rounded(rate * dose))
        verb = "Lower" if dose < 1 else "Raise"
        remedy = replace(
            job.remedy,
            title=f"{verb} the learning rate from {short(rate)} to {new}",
            code=f"learning_rate = {new}  # was {short(rate)}",
            args={**job.remedy.args, "factor": dose},
        )
        yield from _rate_set(replace(job, remedy=remedy), new, dose)


def _rate_set(job: Job, new: str, factor: float) -> Iterator[Patch]:
    found = job.optimizer_call()
    if found is None:
        return
    source, call = found
    given = argument(call, "lr", _RATE)
    if given is None:
        yield job.patch(source, source.replaced((call, _with(call, "lr", new))))
        return
    changed = change(source, given.value, new, factor, job.arguments)
    if changed.arguments is not None:
        yield replace(job.patch(source, source.text), arguments=changed.arguments)
    elif changed.old is not None and changed.new is not None:
        yield job.patch(source, source.replaced((changed.old, changed.new)))


def _rate(job: Job) -> float | None:
    rate = job.record.chart.optimizers[0].get("lr") if job.record.chart.optimizers else None
    return float(rate) if isinstance(rate, int | float) else None


def change_class(job: Job) -> Iterator[Patch]:
    """Another optimizer, or another momentum."""
    found = job.optimizer_call()
    if found is None:
        return
    source, call = found
    name, rate, momentum = (job.remedy.args.get(one) for one in ("name", "lr", "momentum"))
    if momentum is not None:
        yield job.patch(source, source.replaced((call, _with(call, "momentum", short(momentum)))))
    elif isinstance(call.func, cst.Attribute) and name and call.args:
        parameters = call.args[0].with_changes(comma=cst.MaybeSentinel.DEFAULT)
        new = cst.Call(
            call.func.with_changes(attr=cst.Name(str(name))),
            [parameters, _keyword("lr", short(float(rate or 1e-3)))],
        )
        yield job.patch(source, source.replaced((call, new)))


def minimise(job: Job) -> Iterator[Patch]:
    """`maximize=False`."""
    found = job.optimizer_call()
    if found is not None:
        source, call = found
        yield job.patch(source, source.replaced((call, _with(call, "maximize", "False"))))


def weight_decay(job: Job) -> Iterator[Patch]:
    """A penalty on large weights."""
    found = job.optimizer_call()
    value = job.remedy.args.get("weight_decay")
    if found is not None and isinstance(value, int | float):
        source, call = found
        new = _with(call, "weight_decay", short(value))
        yield job.patch(source, source.replaced((call, new)))


def all_parameters(job: Job) -> Iterator[Patch]:
    """`model.head.parameters()` → `model.parameters()`, one part less at a time."""
    found = job.optimizer_call()
    if found is None or not found[1].args:
        return
    source, call = found
    given = call.args[0].value
    if not isinstance(given, cst.Call) or last_name(given.func) not in _PARAMETERS:
        return
    assert isinstance(given.func, cst.Attribute)
    owner = given.func.value
    while isinstance(owner, cst.Attribute):
        owner = owner.value
        if isinstance(owner, cst.Name) and owner.value == "self" and not _is_module(source, call):
            return
        func = given.func.with_changes(value=owner)
        yield job.patch(source, source.replaced((given.func, func)))


_PARAMETERS = ("parameters", "named_parameters")


def _is_module(source: Source, call: cst.Call) -> bool:
    """Whether `self` is a module itself, as in Lightning: its class has a `forward`."""
    around = (one for one in source.around(call) if isinstance(one, cst.ClassDef))
    owner = next(around, None)
    if owner is None:
        return False
    functions = [one for one in owner.body.body if isinstance(one, cst.FunctionDef)]
    return any(one.name.value in ("forward", "training_step") for one in functions)


def _with(call: cst.Call, name: str, value: str) -> cst.Call:
    """A call with a keyword more, or with another value for it."""
    args = [one for one in call.args if one.keyword is None or one.keyword.value != name]
    if len(args) == len(call.args):
        if args:
            args[-1] = args[-1].with_changes(comma=cst.MaybeSentinel.DEFAULT)
        return call.with_changes(args=[*args, _keyword(name, value)])
    changed = [
        one.with_changes(value=expression(value))
        if one.keyword is not None and one.keyword.value == name
        else one
        for one in call.args
    ]
    return call.with_changes(args=changed)


def _keyword(name: str, value: str) -> cst.Arg:
    tight = cst.AssignEqual(cst.SimpleWhitespace(""), cst.SimpleWhitespace(""))
    return cst.Arg(expression(value), keyword=cst.Name(name), equal=tight)
