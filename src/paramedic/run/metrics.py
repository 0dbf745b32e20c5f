"""Which of the numbers that a program logs tell whether it gets better: pure, by their names.

A name counts only if every word in it is known, so that `reward` and `val_acc` do, but not
`reward_std`, `val_disc_acc` or `rewards/rejected`. What is right about answers counts on data that
are held out. No loss counts: where that of the training measures nothing, that of the validation
does not either.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from functools import lru_cache

import numpy as np

from paramedic.diagnose.metric import Metric
from paramedic.run.environments import Returns
from paramedic.types import Chart, Task

# What a policy is trained for comes before what is right about answers.
_REWARDS = frozenset({"reward", "rewards", "rew", "return", "returns", "score", "scores"})
_QUALITIES = frozenset({
    "acc", "accuracy", "accuracies", "auc", "auroc", "f1", "bleu", "rouge", "rouge1", "rouge2",
    "rougel", "map", "miou", "iou", "dice", "r2", "ndcg", "mrr", "top1", "top5", "psnr", "ssim",
})  # fmt: skip
_ERRORS = frozenset({"error", "perplexity", "ppl", "wer", "cer", "mae", "rmse", "mse"})
_HELD_OUT = frozenset({"eval", "evaluation", "val", "valid", "validation", "dev", "test"})
# Not `best`, `total` or `running`: these may rise whatever is learned.
_PLAIN = frozenset({
    "train", "training", "mean", "avg", "average", "ep", "episode", "episodes",
    "episodic", "epoch", "step", "undiscounted", "rollout", "charts", "metric", "metrics",
    "performance", "objective", "rlhf", "overall", "macro", "micro", "weighted", "balanced", "env",
    "environment", "sparse", "categorical", "binary", "multiclass", "top", "k", "at", "roc",
    "token", "1", "5", "10", "100",
})  # fmt: skip
_ACCURACIES = frozenset({"acc", "accuracy"})
_OF_CLASSES = frozenset({"sparse", "categorical", "multiclass", "epoch"})
_EXACT = frozenset({"transformers", "keras"})  # their validation loss is the mean over the data
_ENOUGH = 10  # values from which a training metric is preferred to fewer of a validation
_MOST_NAMES = 64

Key = tuple[str, str]  # who logged it, and as what


@lru_cache(maxsize=4096)
def is_metric(name: str) -> bool:
    """Whether it is known which values of it are good, or it is a validation loss."""
    words = _words(name)
    if not words <= _REWARDS | _QUALITIES | _ERRORS | _HELD_OUT | _PLAIN:
        return _is_loss(words)
    if words & _REWARDS:
        return not words & _ERRORS
    return bool(words & _HELD_OUT) and bool(words & _QUALITIES) is not bool(words & _ERRORS)


class Logs:
    """What was logged during one training: of each name pairs of a step and a value.

    What is logged several times at a step, as of each batch of an evaluation, counts by its mean.
    """

    def __init__(self) -> None:
        self._series: dict[Key, Returns] = {}
        self._newest: dict[Key, list[float]] = {}
        self._steps: dict[Key, int] = {}

    def add(self, step: int, source: str, values: Mapping[str, float]) -> None:
        """The program has logged these after so many steps."""
        for name, value in values.items():
            key = (source, name)
            if key not in self._series and len(self._series) >= _MOST_NAMES:
                continue
            if math.isfinite(value):
                self._add(key, step, value)

    def _add(self, key: Key, step: int, value: float) -> None:
        series = self._series.setdefault(key, Returns())
        if self._steps.get(key) == step:
            self._newest[key].append(value)
            return
        if key in self._newest:
            series.add(self._steps[key], _mean(self._newest[key]))
        self._steps[key], self._newest[key] = step, [value]

    def all(self) -> dict[Key, tuple[float, ...]]:
        """The values of each name, oldest first."""
        return {
            key: (*(value for _, value in series.all()), _mean(self._newest[key]))
            for key, series in self._series.items()
        }


def chosen(logged: Mapping[Key, Iterable[float]]) -> Metric | None:
    """The metric to judge by: of a validation rather than of the training, of all there is rather
    than of a part; None if there is none, or too few values of it."""
    found = [_metric(name, values) for (_, name), values in logged.items()]
    enough = [one for one in found if one is not None and one.is_enough]
    return min(enough, key=_rank, default=None)


def _metric(name: str, values: Iterable[float]) -> Metric | None:
    words = _words(name)
    if _is_loss(words) or not is_metric(name):
        return None
    return Metric(name, np.array([*values]), logged=True, falls=bool(words & _ERRORS))


def _rank(metric: Metric) -> tuple[bool, bool, bool, bool, int, str]:
    words = _words(metric.name)
    few = len(metric.values) < _ENOUGH
    training, no_reward = not words & _HELD_OUT, not words & _REWARDS
    return few, training, metric.falls, no_reward, len(words), metric.name


def of_validation(source: str, values: Mapping[str, float], chart: Chart) -> dict[str, float]:
    """`val_acc` and `val_loss` among what a trainer has logged of a whole evaluation, as far as
    they can be nothing else: the accuracy where each sample has one class, the loss where the
    library computes it by the function of the training."""
    if chart.surrogate:
        return {}
    found: dict[str, float] = {}
    for name, value in values.items():
        words = _words(name)
        if _is_accuracy(words) and _has_classes(chart) and 0.0 <= value <= 1.0:
            found["val_acc"] = value
        elif _is_loss(words) and source in _EXACT and chart.loss is not None:
            found["val_loss"] = value
    return found


def _has_classes(chart: Chart) -> bool:
    """Whether the training compares one label per sample."""
    by_class = chart.task is Task.MULTI_CLASS and chart.loss in ("cross-entropy", "nll")
    return by_class and chart.loss_mean and len(chart.target_shape) == 1


def _is_accuracy(words: frozenset[str]) -> bool:
    held_out = words & _HELD_OUT
    return bool(held_out and words & _ACCURACIES) and words <= (
        held_out | _ACCURACIES | _OF_CLASSES
    )


def _is_loss(words: frozenset[str]) -> bool:
    return "loss" in words and bool(words & _HELD_OUT) and words <= _HELD_OUT | {"loss", "epoch"}


@lru_cache(maxsize=4096)
def _words(name: str) -> frozenset[str]:
    """Parts of a name: `rollout/ep_rew_mean`, `valAccuracy`."""
    apart = re.sub(r"(?<=[a-z])(?=[A-Z][a-z])", "_", name)
    return frozenset(word for word in re.split(r"[^a-z0-9]+", apart.lower()) if word)


def _mean(values: list[float]) -> float:
    return sum(values) / len(values)
