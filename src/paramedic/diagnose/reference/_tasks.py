"""The task as AUTOTRAINER takes it: inferred from the targets and the outputs, not asked.

Its authors know three tasks. A loss function cannot be called improper for a task that was guessed
from that loss function, so the targets are looked at first.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from paramedic.diagnose.reference._iterations import CheckedRule, LowAccuracyRule
from paramedic.diagnose.reference._measurements import known
from paramedic.types import Finding, Task, Window

# The logarithm of a softmax is one, and a negative log likelihood of it is the cross-entropy.
OUTPUT_FUNCTIONS = {
    Task.MULTI_CLASS: frozenset({"softmax", "log-softmax"}),
    Task.BINARY: frozenset({"sigmoid"}),
    Task.REGRESSION: frozenset({"linear"}),
}
LOSSES = {
    Task.MULTI_CLASS: frozenset({"cross-entropy", "nll"}),
    Task.BINARY: frozenset({"binary-cross-entropy", "binary-cross-entropy-with-logits"}),
    Task.REGRESSION: frozenset({"mse", "l1"}),
}
# What else a model may end with is not an activation function: a convolution, a sum, a product.
_ACTIVATIONS = frozenset({
    "softmax", "log-softmax", "sigmoid", "log-sigmoid", "relu", "leakyrelu", "prelu", "elu",
    "selu", "celu", "gelu", "silu", "mish", "tanh", "hardtanh", "hardsigmoid", "hardswish",
    "softplus", "softsign", "clamp", "threshold",
})  # fmt: skip
_ROUNDING = 1e-4


def task_of(window: Window) -> Task:
    """One of the three tasks if the targets or the chart tell, else what the chart says."""
    chart = window.chart
    if chart.target_kind == "integer" and chart.output_shape:
        several = len(chart.output_shape) > 1 and chart.output_shape[1] > 1
        return Task.MULTI_CLASS if several else Task.BINARY
    if window.derive(_targets_are_labels):
        return _task_of_labels(window)
    return Task.MULTI_CLASS if chart.task is Task.LANGUAGE_MODEL else chart.task


def output_activation(window: Window) -> str | None:
    """The activation function of the output: `linear` if there is none, None if not seen."""
    function = window.chart.output_function
    return function if function is None or function in _ACTIVATIONS else "linear"


@dataclass(frozen=True, slots=True)
class RecommendedRule(LowAccuracyRule):
    """A rule that asks for one of the recommended functions for the task."""

    part: ClassVar[str]  # what is judged
    recommended: ClassVar[Mapping[Task, frozenset[str]]]

    @abstractmethod
    def used(self, window: Window) -> str | None:
        """The function that the run has, None if it was not seen."""

    def missing(self, window: Window) -> str | None:
        if self.used(window) is None:
            return f"the {self.part} was not seen"
        if task_of(window) not in self.recommended:
            return f"AUTOTRAINER recommends no {self.part} for a task that is {task_of(window)}"
        return CheckedRule.missing(self, window)

    def examine(self, window: Window) -> Finding | None:
        used, task = self.used(window), task_of(window)
        if used in self.recommended[task] or self.is_satisfied(window):
            return None
        wanted = sorted(self.recommended[task])
        message = f"The {self.part} of a {task} task is {used}, not {' or '.join(wanted)}."
        return self.tell(window, message, {"used": used, "threshold": wanted, "task": str(task)})


def _targets_are_labels(window: Window) -> bool:
    """Whether all real-valued targets are 0 or 1: only then is the mean square the mean."""
    low, high = known(window.scalar("target_min")), known(window.scalar("target_max"))
    if not len(low) or not len(high) or low.min() != 0 or high.max() != 1:
        return False
    mean, spread = window.scalar("target_mean"), window.scalar("target_std")
    gap = known(mean - mean**2 - spread**2)
    return bool(len(gap) and np.abs(gap).max() < _ROUNDING)


def _task_of_labels(window: Window) -> Task:
    """Binary with one label per sample, multi-class if exactly one of several is 1."""
    shape = window.chart.target_shape
    if len(shape) < 2 or shape[-1] == 1:
        return Task.BINARY
    mean = known(window.scalar("target_mean"))
    one_hot = np.abs(mean * shape[-1] - 1).max() < _ROUNDING * shape[-1]
    return Task.MULTI_CLASS if one_hot else Task.MULTI_LABEL
