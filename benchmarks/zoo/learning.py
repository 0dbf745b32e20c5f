"""Whether a run learned by its own metric at its end, whatever was built into it.

A fault need not keep a run from learning: some make it slower, or worse than it could be. The
metric is the score on the validation samples, which no rule sees unless the plan hands it in,
against that of the best constant answer to the same samples.
"""

from __future__ import annotations

import math
from typing import Any

import torch
from torch import Tensor

from .check import LEARNED, MARGIN
from .data.source import VALIDATION
from .plan import Run
from .scoring import ACCURACIES

ERRORS = 3.0  # standard errors that an accuracy must be above the best guess


def learned(numbers: dict[str, Any]) -> bool:
    """Whether the validation score at the end is clearly above that of the best constant answer.

    Where models are not right or wrong, the validation loss must have fallen as that of a healthy
    run must. What is not finite has not learned.
    """
    first, last = numbers["first"], numbers["last"]
    if numbers["scoring"] == "none":
        before, after = first["val_loss"], last["val_loss"]
        return bool(after < LEARNED * before or after < before - 1)
    return bool(last["val_score"] > numbers["guess"] + _margin(numbers))


def _margin(numbers: dict[str, Any]) -> float:
    if numbers["scoring"] not in ACCURACIES:
        return MARGIN
    guess = numbers["guess"]
    return max(MARGIN, ERRORS * math.sqrt(max(guess * (1 - guess), 0.0) / VALIDATION))


@torch.no_grad()
def guess(run: Run) -> float:
    """The score of the best constant answer to the validation samples; NaN if there is none."""
    targets = run.split.validation_targets
    if not targets.numel() or not torch.isfinite(targets.float()).all():
        return math.nan
    kind = run.plan.scoring
    if kind == "language":
        run.model.eval()
        return _language(targets, run.model(run.split.validation_inputs[:1]).shape[-1])
    if kind in ("logits", "probabilities"):
        yes = (targets.reshape(len(targets), -1) > 0.5).float().mean(0)
        return torch.maximum(yes, 1 - yes).mean().item()
    if kind in ACCURACIES:
        classes = targets.argmax(-1) if kind == "classes-one-hot" else targets
        return _shares(classes).max().item()
    return 0.0 if kind == "regression" else math.nan


def _shares(classes: Tensor) -> Tensor:
    """How frequent each class is."""
    counts = classes.flatten().unique(return_counts=True)[1]
    return counts / counts.sum()


def _language(targets: Tensor, symbols: int) -> float:
    """Of always answering the frequencies of the symbols."""
    shares = _shares(targets)
    return 1 + float((shares * shares.log()).sum()) / math.log(symbols)
