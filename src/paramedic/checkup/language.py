"""Telling a language model: one prediction per token, and the targets are what follows."""

from __future__ import annotations

from collections.abc import Collection

from torch import Tensor

from paramedic.checkup.batch import Batch

_IGNORED = -100  # what torch's losses leave out unless told otherwise
_AGREE = 0.95  # share of targets that are the next token: chunks may be joined in between
_LEAST = 4  # targets to tell by


def is_language_model(
    batch: Batch, prediction: Tensor, tokens: Collection[int], *, shifts_itself: bool = False
) -> bool:
    """Whether the targets are the inputs, shifted by one, and each has its prediction.

    A model that computes its own loss may shift them itself: then they are the inputs.
    """
    target = batch.target
    if target is None or target.is_floating_point():
        return False
    for place in tokens:
        given = batch.tensors[place]
        if given.dim() == 2 and target.numel() == given.numel():
            copied = shifts_itself and _agrees(given, target.reshape(given.shape))
            follows = copied or _follows(batch, given, target)
            return follows and per_token(prediction, batch) is not None
    return False


def _follows(batch: Batch, given: Tensor, target: Tensor) -> bool:
    axis = batch.sequence_axis
    steps = given.shape[axis] - 1
    if steps < 1:
        return False
    wanted = target.reshape(given.shape).narrow(axis, 0, steps)
    return _agrees(given.narrow(axis, 1, steps), wanted)


def _agrees(coming: Tensor, wanted: Tensor) -> bool:
    counted = wanted != _IGNORED
    if int(counted.sum()) < _LEAST:
        return False
    return float((wanted == coming)[counted].double().mean()) >= _AGREE


def per_token(prediction: Tensor, batch: Batch) -> Tensor | None:
    """A prediction as `[samples, positions, values]`, None if it has no place for each token."""
    count, length = batch.size, batch.length()
    if prediction.dim() >= 3 and batch.axis < 2:
        ordered = prediction.movedim(batch.axis, 0)
        if ordered.shape[:2] == (count, length):
            return ordered.flatten(2)
        if ordered.shape[0] == count and ordered.shape[-1] == length:
            return ordered.movedim(-1, 1).flatten(2)
    if prediction.dim() == 2 and prediction.shape[0] == count * length:
        return prediction.reshape(count, length, -1)
    return None
