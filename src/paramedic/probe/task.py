"""The task of a network, inferred from what its loss compares."""

from __future__ import annotations

from torch import Tensor

from paramedic.probe.batch import Batch, is_integer
from paramedic.types import Task


def infer_task(batch: Batch) -> tuple[Task, str]:
    """The task, and how we know."""
    target, loss = batch.target, batch.loss
    if target is None or loss is None:
        return Task.UNKNOWN, "neither the loss function nor its targets could be seen"
    if loss in ("cross-entropy", "nll", "multi-margin"):
        return _classification(batch, loss)
    if loss.startswith("binary-cross-entropy"):
        several = target.dim() > 1 and target.shape[-1] > 1
        task = Task.MULTI_LABEL if several else Task.BINARY
        return task, f"the loss is {loss} on targets of shape {_shape(target)}"
    if loss in ("mse", "l1", "smooth-l1", "huber"):
        return Task.REGRESSION, f"the loss is {loss}"
    return Task.UNKNOWN, f"the loss is {loss}, which does not tell"


def _classification(batch: Batch, loss: str) -> tuple[Task, str]:
    if (
        batch.target is not None
        and batch.inputs
        and _is_one_per_token(batch.target, batch.inputs[0])
    ):
        return Task.LANGUAGE_MODEL, f"the loss is {loss} with one target for each input token"
    return Task.MULTI_CLASS, f"the loss is {loss}"


def _is_one_per_token(target: Tensor, tokens: Tensor) -> bool:
    """One target for each token, or for each but the last of a row, where both are shifted."""
    if not is_integer(tokens) or tokens.dim() < 2:
        return False
    return target.numel() in (tokens.numel(), tokens.numel() - tokens.shape[0])


def _shape(tensor: Tensor) -> str:
    return "×".join(str(size) for size in tensor.shape) or "scalar"
