"""How well one term of a loss fits its targets, and how well a constant answer would.

A loss may be a sum: cross-entropy less a bonus for sparsity, a reconstruction and a divergence. It
can fall while the part that compares predictions with targets stays where guessing is. So at a look
that part is found in autograd's record of the loss and computed anew, in the units of its own.
Of a loss that is such a comparison and nothing else, it is the constant answer that is wanted.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor

from paramedic.probe.graph import nearest_nodes, saved_tensor

_ROWS = 128  # of a batch that are read
_MOST_PLACES = 16_384  # values of a target whose means are kept
_FEWEST = 32  # targets from which a constant answer can be told
_MOST_VALUES = 2**13  # of targets that are kept whole, where their medians are wanted
_EACH = 10  # labels of a class from which their frequencies can be told

_KINDS = {
    "NllLossBackward": "nll",
    "NllLoss2DBackward": "nll",
    "MseLossBackward": "mse",
    "BinaryCrossEntropyBackward": "bce",
    "BinaryCrossEntropyWithLogitsBackward": "bce-with-logits",
    "SmoothL1LossBackward": "smooth-l1",
    "HuberLossBackward": "huber",
}
_BY_MEANS = ("mse", "bce", "bce-with-logits")  # whose best constant answer is the mean


@dataclass(frozen=True, slots=True)
class Term:
    """The one comparison of predictions with targets that a loss contains."""

    kind: str
    prediction: Tensor
    target: Tensor
    ignored: int = -100  # the label that does not count
    bend: float = 1.0  # where `smooth-l1` and `huber` go from squares to distances


def term_of(roots: Sequence[Tensor]) -> Term | None:
    """The comparison behind a loss; None if there is none, or more than one, or a weighted one."""
    found = [node for node in nearest_nodes(roots) if _kind(node)]
    if len(found) != 1:
        return None
    node = found[0]
    prediction, target = saved_tensor(node, "self"), saved_tensor(node, "target")
    if prediction is None or target is None or is_weighted(node):
        return None
    ignored = _signed(getattr(node, "_saved_ignore_index", -1))
    bend = getattr(node, "_saved_beta", getattr(node, "_saved_delta", 1.0))
    return Term(_kind(node), prediction, target, ignored, float(bend))


def is_weighted(node: Any) -> bool:
    """Whether a loss of torch's weighs classes or samples: its mean is no plain one then."""
    weights = (getattr(node, f"_saved_{name}", None) for name in ("weight", "pos_weight"))
    return any(weight is not None for weight in weights)


def _signed(number: int) -> int:
    """Autograd tells negative numbers of 64 bits as if they had no sign."""
    return number - 2**64 if number >= 2**63 else number


def _kind(node: Any) -> str:
    return _KINDS.get(type(node).__name__.rstrip("0123456789"), "")


class Fit:
    """Compares terms with constant answers; what a constant answer is, all batches so far tell."""

    def __init__(self) -> None:
        self._labels = torch.zeros(0, dtype=torch.float64)  # how often each class was seen
        self._sums = torch.zeros(0, dtype=torch.float64)  # of the targets, by their places
        self._squares = self._sums
        self._kept = self._sums  # rows of targets, the first that came
        self._answer = math.nan  # the loss of their medians
        self._rows = 0  # that were added up
        self.is_known = False  # whether the loss has such a part

    def scalars(self, term: Term | None) -> dict[str, float]:
        """`fit_loss` and `fit_constant` of a batch; empty while they cannot be told."""
        if term is None or term.prediction.layout is not torch.strided:
            return {}
        self.is_known = True
        prediction, target = _first_rows(term.prediction), _first_rows(term.target)
        if term.kind == "nll":
            return self._of_labels(prediction.float(), target, term.ignored)
        if target.dim() == 0 or target.shape != prediction.shape:
            return {}
        return self._of_values(term, prediction.double(), target.double())

    def _of_labels(self, prediction: Tensor, target: Tensor, ignored: int) -> dict[str, float]:
        counted = target[target != ignored]
        if prediction.dim() < 2 or not counted.numel() or _all_differ(counted):
            return {}
        classes = prediction.shape[1]
        if len(self._labels) != classes:
            self._labels = torch.zeros(classes, dtype=torch.float64)
        self._labels += torch.bincount(counted.reshape(-1), minlength=classes)
        seen = self._labels[self._labels > 0]
        if float(seen.sum()) < max(_FEWEST, _EACH * len(seen)) or len(seen) < 2:
            return {}
        shares = seen / seen.sum()
        loss = F.nll_loss(prediction, target, ignore_index=ignored)
        return {"fit_loss": float(loss), "fit_constant": float(-(shares * shares.log()).sum())}

    def _of_values(self, term: Term, prediction: Tensor, target: Tensor) -> dict[str, float]:
        rows = target.reshape(len(target), -1)
        by_means = term.kind in _BY_MEANS
        most = _MOST_PLACES if by_means else _MOST_VALUES // _FEWEST
        if rows.shape[1] > most or not bool(torch.isfinite(rows).all()):
            return {}
        self._add(rows)
        if self._rows < _FEWEST:
            return {}
        constant = self._mean(term) if by_means else self._median(term, rows)
        if not constant > 0:  # the targets are all the same
            return {}
        return {"fit_loss": _measure(term, prediction, target), "fit_constant": constant}

    def _add(self, rows: Tensor) -> None:
        if self._sums.shape != rows.shape[1:]:
            self._sums, self._squares = torch.zeros_like(rows[0]), torch.zeros_like(rows[0])
            self._rows, self._kept = 0, rows[:0]
        self._rows += len(rows)
        self._sums += rows.sum(dim=0)
        self._squares += rows.square().sum(dim=0)

    def _mean(self, term: Term) -> float:
        """The loss of always answering the mean of each place."""
        means = self._sums / self._rows
        if term.kind == "mse":
            spread = (self._squares / self._rows - means.square()).mean().clamp_min(0.0)
            return float(spread) * self._rows / max(self._rows - 1, 1)
        shares = means.clamp(0.0, 1.0)
        return float(F.binary_cross_entropy(shares, shares))

    def _median(self, term: Term, rows: Tensor) -> float:
        """The loss of always answering the median of each place."""
        if self._kept.numel() < _MOST_VALUES:
            self._kept = torch.cat([self._kept, rows])
            medians = self._kept.quantile(0.5, dim=0)
            self._answer = _measure(term, medians.expand_as(self._kept), self._kept)
        return self._answer


def _measure(term: Term, prediction: Tensor, target: Tensor) -> float:
    """The mean of the loss of this kind."""
    if term.kind == "smooth-l1":
        return float(F.smooth_l1_loss(prediction, target, beta=term.bend))
    if term.kind == "huber":
        return float(F.huber_loss(prediction, target, delta=term.bend))
    return float(_MEASURES[term.kind](prediction, target))


_MEASURES: dict[str, Callable[[Tensor, Tensor], Tensor]] = {
    "mse": F.mse_loss,
    "l1": F.l1_loss,
    "bce": F.binary_cross_entropy,
    "bce-with-logits": F.binary_cross_entropy_with_logits,
}


def _first_rows(tensor: Tensor) -> Tensor:
    return (tensor.detach()[:_ROWS] if tensor.dim() else tensor.detach()).cpu()


def _all_differ(labels: Tensor) -> bool:
    """Whether no label comes twice: these are places in the batch, not classes."""
    return labels.numel() > 2 and len(torch.unique(labels)) == labels.numel()
