"""The line that calls the loss, and the one that makes it."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from paramedic.prescribe.cure import short
from paramedic.run.fix.patch import Patch
from paramedic.run.fix.patcher import Job
from paramedic.run.fix.source import Source, called, expression, last_name

_MODULES = {
    "mse": "MSELoss", "l1": "L1Loss", "smooth-l1": "SmoothL1Loss", "huber": "HuberLoss",
    "cross-entropy": "CrossEntropyLoss",
    "binary-cross-entropy-with-logits": "BCEWithLogitsLoss",
}  # fmt: skip
_FUNCTIONS = {
    "mse": "mse_loss", "l1": "l1_loss", "smooth-l1": "smooth_l1_loss", "huber": "huber_loss",
    "cross-entropy": "cross_entropy",
    "binary-cross-entropy-with-logits": "binary_cross_entropy_with_logits",
}  # fmt: skip


def fix_shape(job: Job) -> Iterator[Patch]:
    """The side of the comparison that has a dimension of one too many loses it."""
    found = job.loss_call()
    if found is None or len(found[1].args) < 2:
        return
    source, call = found
    output, target = job.record.chart.output_shape, job.record.chart.target_shape
    if tuple(output) == (*target, 1):
        place, end = 0, ".squeeze(-1)"
    elif tuple(target) == (*output, 1):
        place, end = 1, ".squeeze(-1)"
    else:
        place, end = 1, f".view_as({source.code(call.args[0].value)})"
    yield job.patch(source, source.replaced(_followed(source, call.args[place].value, end)))


def _followed(
    source: Source, node: cst.BaseExpression, end: str
) -> tuple[cst.CSTNode, cst.CSTNode]:
    simple = isinstance(node, cst.Name | cst.Attribute | cst.Subscript | cst.Call)
    code = source.code(node) if simple else f"({source.code(node)})"
    return node, expression(f"{code}{end}")


def other_loss(job: Job) -> Iterator[Patch]:
    """The loss that suits the targets, where the outputs need no change for it."""
    new = str(job.remedy.args.get("loss", ""))
    if "classes" in job.remedy.args or new not in _MODULES:
        return
    yield from _exchanged(job, new, "")


def robust(job: Job) -> Iterator[Patch]:
    """A Huber loss for a squared one."""
    delta = job.remedy.args.get("delta")
    if isinstance(delta, int | float):
        yield from _exchanged(job, "huber", f"delta={short(delta)}")


def _exchanged(job: Job, new: str, settings: str) -> Iterator[Patch]:
    found, old = job.loss_call(), job.record.chart.loss or ""
    if found is None or old not in _MODULES:
        return
    source, call = found
    if last_name(call.func) == _FUNCTIONS[old] and isinstance(call.func, cst.Attribute):
        func = call.func.with_changes(attr=cst.Name(_FUNCTIONS[new]))
        extra = [cst.Arg(expression(value), cst.Name(name)) for name, value in _parts(settings)]
        changed = call.with_changes(func=func, args=[*call.args, *extra])
        yield job.patch(source, source.replaced((call, changed)))
        return
    for made in source.all(cst.Call, called(_MODULES[old])):
        if isinstance(made.func, cst.Attribute):
            prefix = source.code(made.func.value)
            after = source.replaced((made, expression(f"{prefix}.{_MODULES[new]}({settings})")))
            yield job.patch(source, after)


def _parts(settings: str) -> list[tuple[str, str]]:
    pairs = [one.split("=") for one in settings.split(",") if one]
    return [(name.strip(), value.strip()) for name, value in pairs]
