"""Seeing the losses of Keras 3 on torch: what they compare, and under which name.

Keras computes them by operations of its own, from which little can be read. What goes into them
is reported to a step that is looked at; predictions that are probabilities are shown as their
logarithms, and one-hot targets as labels, as the losses of torch would have them.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any, NamedTuple

import torch
from torch import Tensor

from paramedic.probe.forward import is_loss_wanted, loss_seen
from paramedic.probe.guard import Guard, aside
from paramedic.run.imports import AfterImport
from paramedic.run.losses import OnLoss
from paramedic.run.patching import Function, Patches

_HOME = "keras.src.losses.loss"
_PLAIN = {  # of Keras: in the chart, and in torch
    "mean_squared_error": ("mse", "mse_loss"),
    "mean_absolute_error": ("l1", "l1_loss"),
    "huber": ("huber", "huber_loss"),
}
_BINARY = "binary_crossentropy"
_LABELS = ("sparse_categorical_crossentropy", "categorical_crossentropy")
_LEAST = 1e-7  # of a probability, as in Keras
_MEANS = ("sum_over_batch_size", "mean", "mean_with_sample_weight")


class Seen(NamedTuple):
    """A loss in terms of torch: its name in the chart and in torch, and what it compares."""

    named: str
    function: str
    prediction: Tensor
    target: Tensor


class KerasLosses:
    """Waits for Keras; `on_loss` is called as for losses of torch."""

    def __init__(
        self, patches: Patches, guard: Guard, on_loss: OnLoss, curious: Callable[[], bool]
    ) -> None:
        self.guard = guard
        self._patches, self._on_loss, self._curious = patches, on_loss, curious
        self._waiting = AfterImport(_HOME, self._found)

    def open(self) -> None:
        """Start to wait."""
        self._waiting.install()

    def close(self) -> None:
        """Wait no more."""
        self._waiting.remove()

    def _found(self) -> None:
        self._patches.wrap(sys.modules[_HOME].Loss, "__call__", self._caller)

    def _caller(self, original: Function) -> Function:
        def __call__(loss: Any, y_true: Any, y_pred: Any, *args: Any, **kwargs: Any) -> Any:
            result = original(loss, y_true, y_pred, *args, **kwargs)
            if torch.compiler.is_compiling() or not isinstance(result, Tensor) or result.is_meta:
                return result
            wanted = is_loss_wanted()
            if wanted or self._curious() or not result.requires_grad:
                self._see(loss, y_true, y_pred, result, wanted)
            return result

        return __call__

    @aside("losses")
    def _see(self, loss: Any, target: Any, prediction: Any, result: Tensor, wanted: bool) -> None:
        if not isinstance(prediction, Tensor) or target is None or isinstance(target, dict | list):
            return
        target = torch.as_tensor(target, device=prediction.device)
        seen = described(loss, target.detach(), prediction)
        mean = loss.reduction in _MEANS
        if wanted and result.requires_grad:
            loss_seen(seen.named, seen.prediction, seen.target, result, mean=mean)
        self._on_loss(
            seen.function, seen.prediction, seen.target, "mean" if mean else "sum", result
        )


def described(loss: Any, target: Tensor, prediction: Tensor) -> Seen:
    """A loss of Keras in terms of torch; one of the user's own has its own name."""
    function = getattr(loss, "fn", None)
    name = str(getattr(function, "__name__", type(loss).__name__))
    logits = bool(getattr(loss, "_fn_kwargs", {}).get("from_logits", False))
    if name in _PLAIN:
        return Seen(*_PLAIN[name], prediction, target)
    if name == _BINARY:
        ending = ("-with-logits", "_with_logits") if logits else ("", "")
        named = f"binary-cross-entropy{ending[0]}", f"binary_cross_entropy{ending[1]}"
        return Seen(*named, prediction, target)
    if name not in _LABELS or not prediction.dim():
        return Seen(name, name, prediction, target)
    rows = prediction.reshape(-1, prediction.shape[-1])
    labels = _labels(target, prediction)
    if logits:
        return Seen("cross-entropy", "cross_entropy", rows, labels)
    return Seen("nll", "nll_loss", rows.detach().clamp_min(_LEAST).log(), labels)


def _labels(target: Tensor, prediction: Tensor) -> Tensor:
    """Indices of classes, one for each row; as they are where they are shares of classes."""
    if target.numel() * prediction.shape[-1] == prediction.numel():
        return target.reshape(-1).long()
    rows = target.reshape(-1, target.shape[-1])
    one_hot = bool(((rows == 0) | (rows == 1)).all()) and bool((rows.sum(-1) == 1).all())
    return rows.argmax(-1) if one_hot else rows
