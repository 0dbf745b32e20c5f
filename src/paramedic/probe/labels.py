"""Counting the integer labels of all batches that were looked at."""

from __future__ import annotations

import math
from collections import Counter

import numpy as np
import torch
from torch import Tensor

from paramedic.probe import native

_MOST_CLASSES = 10_000  # distinct labels that are counted


class Labels:
    """How often each integer label was seen."""

    def __init__(self) -> None:
        self._counts = np.zeros(_MOST_CLASSES, np.int64)
        self._stamps = np.full(_MOST_CLASSES, -1, np.int64)
        self._others: Counter[int] = Counter()  # negative or very large labels
        self._batches = 0
        self._entropy, self._next_entropy = math.nan, 0
        self.majority = math.nan  # the share of the most frequent label, as old as the entropy

    def count(self, rows: Tensor) -> tuple[float, float, int]:
        """Count the labels of a batch; gives the smallest, the largest, how many are distinct."""
        self._batches += 1
        if native.kernel is not None and rows.dtype is torch.int64 and rows.is_contiguous():
            kernel = native.kernel
            low, high, distinct, outside = kernel.labels(
                rows, self._batches, self._counts, self._stamps
            )
            if not outside:
                return float(low), float(high), distinct
            rows = rows[(rows < 0) | (rows >= _MOST_CLASSES)]
            return float(low), float(high), distinct + self._count_slowly(rows)
        return float(rows.min()), float(rows.max()), self._count_slowly(rows)

    def _count_slowly(self, rows: Tensor) -> int:
        labels, seen = np.unique(rows.numpy(), return_counts=True)
        for label, number in zip(labels.tolist(), seen.tolist(), strict=True):
            if 0 <= label < _MOST_CLASSES:
                self._counts[int(label)] += number
            elif len(self._others) < _MOST_CLASSES:
                self._others[label] += number
        return len(labels)

    def entropy(self) -> float:
        """The entropy, in nats, of the labels seen so far.

        It hardly moves once many batches were seen, so it is computed anew ever more rarely.
        """
        if self._batches >= self._next_entropy:
            self._next_entropy = self._batches + 1 + self._batches // 8
            counts = self._counts[self._counts > 0]
            shares = counts / max(counts.sum(), 1)
            self._entropy = float(-(shares * np.log(shares)).sum())
            self.majority = float(shares.max(initial=0.0))
        return self._entropy

    def table(self) -> dict[int, int]:
        """The counts, by label."""
        usual = {int(label): int(self._counts[label]) for label in np.flatnonzero(self._counts)}
        return dict(sorted({**self._others, **usual}.items()))
