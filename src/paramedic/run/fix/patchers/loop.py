"""The training loop: clipping, forgetting old gradients, the mode of the model."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from paramedic.prescribe.cure import short
from paramedic.run.fix.patch import Patch
from paramedic.run.fix.patcher import Job
from paramedic.run.fix.source import Source

_LOOPS = (cst.For, cst.While)


def clip(job: Job) -> Iterator[Patch]:
    """`clip_grad_norm_` right before the step, of all that the optimizer holds."""
    found, norm = job.step_call(), job.remedy.args.get("max_norm")
    if found is None or not isinstance(norm, int | float):
        return
    source, call = found
    optimizer = _owner(source, call)
    if optimizer is None:
        return
    held = f'[p for group in {optimizer}.param_groups for p in group["params"]]'
    code = f"torch.nn.utils.clip_grad_norm_({held}, {short(norm)})"
    yield job.patch(source, source.inserted(call, code))


def zero_grad(job: Job) -> Iterator[Patch]:
    """`zero_grad` before `backward` where both are in one function, else after the step."""
    step, backward = job.step_call(), job.backward_call()
    if step is None:
        return
    source, call = step
    optimizer = _owner(source, call)
    if optimizer is None:
        return
    code = f"{optimizer}.zero_grad()"
    if backward is not None and _block(*backward) is _block(source, call):
        yield job.patch(source, source.inserted(backward[1], code))
    yield job.patch(source, source.inserted(call, code, after=True))


def train_mode(job: Job) -> Iterator[Patch]:
    """`model.train()` before the loop over the batches, or else before each step."""
    found, backward = job.model_call(), job.backward_call()
    if found is None or backward is None or found[0] is not backward[0]:
        return
    source, call = found
    code = f"{source.code(call.func)}.train()"
    around = [one for one in source.around(backward[1]) if isinstance(one, _LOOPS)]
    if not around:
        return
    if len(around) > 1 or any(isinstance(one, cst.FunctionDef) for one in source.around(around[0])):
        yield job.patch(source, source.inserted(around[0], code))
    first = around[0].body.body[0]
    if isinstance(first, cst.SimpleStatementLine | cst.BaseCompoundStatement):
        yield job.patch(source, source.inserted(first, code))


def _owner(source: Source, call: cst.Call) -> str | None:
    """`optimizer` of `optimizer.step()`."""
    return source.code(call.func.value) if isinstance(call.func, cst.Attribute) else None


def _block(source: Source, call: cst.Call) -> cst.CSTNode | None:
    return source.parent(source.statement(call))
