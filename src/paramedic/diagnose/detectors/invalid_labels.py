"""D002: targets that cannot be right."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from paramedic.diagnose.detector import Detector, threshold
from paramedic.diagnose.rows import scalars
from paramedic.types import Finding, Kind, Severity, Task, Window

_WITH_IGNORED = ("cross-entropy", "nll")
_IGNORED = -100  # the `ignore_index` of torch's cross-entropy
_TINY = 1e-12


@dataclass(frozen=True, slots=True)
class InvalidLabels(Detector):
    """The targets are missing, all the same, or do not fit the outputs.

    ## What it looks for
    NaN among the targets; only the value that the loss ignores (-100); the same single target in
    every batch (a note if it is the zero that the residual of an equation is to become); class
    numbers that start at 1 although the net has an output for class 0; one number again and again
    that is apart from all others (-999 for a missing one; a rare answer or a cap is not meant).

    ## Why is this bad?
    A net learns what the targets say. If all are ignored there is no gradient; if all are the
    same, the best answer is that constant; if one is NaN, the loss is NaN.

    ## Example
    ```python
    labels = torch.full_like(tokens, -100)      # everything masked: nothing to learn
    ```

    ## Use instead
    ```python
    labels = tokens.masked_fill(~is_answer, -100)
    assert (labels != -100).any()
    ```

    ## References
    - Public issue trackers: "all labels masked".
    """

    code = "D002"
    slug = "invalid-labels"
    explains = frozenset(
        {"loss-plateau", "slow-convergence", "vanishing-gradient", "uninformative-labels",
         "non-finite", "dying-relu", "learning-rate-too-low", "untrained-parameters",
         "oscillating-loss", "no-more-gain", "too-few-steps", "saturated-activation",
         "overfitting", "improper-loss", "exploding-gradient", "gradient-instability"}
    )  # fmt: skip
    patience = 1

    batch: int = threshold(8, "samples of a batch that cannot agree by chance", source="2^-7")
    changes: float = threshold(
        0.5, "share of batches with another label than the one before", source="sorted data: few"
    )
    frames: int = threshold(8, "frames that must agree", source="a small batch may be of one class")

    labels: int = threshold(
        1000, "equal labels that leave no doubt", source="a class of 1 % would be among them"
    )

    stand_in: float = threshold(
        0.3, "share of batches whose extreme target is one and the same", source="zoo"
    )
    away: float = threshold(
        4.0, "its distance from the mean in deviations of the batch", source="as above"
    )
    apart: float = threshold(
        25.0,
        "its distance from all targets of the other batches, in their deviations",
        source="tuning half: 1000; a cap or a rare reward has its like near by, up to 8.5",
    )

    def missing(self, window: Window) -> str | None:
        if len(scalars(window, "target_nan")):
            return None
        return "the targets could not be seen"

    def examine(self, window: Window) -> Finding | None:
        missing = scalars(window, "target_nan")
        if (missing > 0).any():
            share = float(missing.max())
            return self._finding(
                window,
                f"{share:.1%} of the targets of a batch are NaN or infinite.",
                kind=Kind.FAULT,
                share=share,
                first_step=int(window.steps[window.scalar("target_nan") > 0][0]),
            )
        found = self._ignored(window) or self._out_of_range(window) or self._one_value(window)
        found = found or self._one_per_batch(window) or self._shifted(window)
        return found or self._stand_in(window)

    def _stand_in(self, window: Window) -> Finding | None:
        """One whole number far from all others, again and again: it stands for a missing one."""
        if window.chart.task is not Task.REGRESSION or len(window.chart.optimizers) > 1:
            return None
        means, spreads = window.scalar("target_mean"), window.scalar("target_std")
        for name in ("target_min", "target_max"):
            ends = window.scalar(name)
            known = np.isfinite(ends) & np.isfinite(means) & (spreads > 0)
            if known.sum() < self.frames:
                continue
            value = ends[known][np.abs(ends[known]).argmax()]
            share = float((ends[known] == value).mean())
            there = known & (ends == value)
            away = float(np.median(np.abs(means[there] - value) / spreads[there]))
            if value != round(value) or share <= self.stand_in or away <= self.away:
                continue
            if _apart(window, name, value, known) > self.apart:
                return self._finding(
                    window,
                    f"The target {value:g} comes in {share:.0%} of the batches, far from all "
                    "others: it seems to stand for a missing value. Leave such samples out.",
                    confidence=0.85,
                    value=float(value),
                    share=share,
                    deviations=away,
                    threshold=self.away,
                )
        return None

    def _ignored(self, window: Window) -> Finding | None:
        if window.chart.target_kind != "integer" or (window.chart.loss or "") not in _WITH_IGNORED:
            return None
        empty = scalars(window, "target_max") == _IGNORED
        if not empty.any():
            return None
        return self._finding(
            window,
            f"In {int(empty.sum())} of {len(empty)} batches all targets are {_IGNORED}, which the "
            "loss ignores: there is nothing to learn, and their mean loss is NaN.",
            batches=int(empty.sum()),
        )

    def _out_of_range(self, window: Window) -> Finding | None:
        if not (window.chart.loss or "").startswith("binary-cross-entropy"):
            return None
        low, high = scalars(window, "target_min").min(), scalars(window, "target_max").max()
        if low >= 0 and high <= 1:
            return None
        return self._finding(
            window,
            f"The targets of a binary cross-entropy go from {low:g} to {high:g}; they must lie "
            "between 0 and 1.",
            kind=Kind.FAULT,
            smallest=float(low),
            largest=float(high),
        )

    def _one_per_batch(self, window: Window) -> Finding | None:
        """Each batch has a single label, and the next batch another: labels were mixed up.

        Samples sorted by class look similar, but keep their label for many batches.
        """
        if len(window.chart.optimizers) > 1:  # a critic is shown what is real, then what is not
            return None
        constant, values = scalars(window, "target_constant"), scalars(window, "target_max")
        sizes = scalars(window, "batch_size")
        if len(constant) < self.frames or not len(sizes) or sizes.min() < self.batch:
            return None
        changes = float((np.diff(values) != 0).mean())
        if not (constant == 1).all() or changes < self.changes:
            return None
        return self._finding(
            window,
            "All samples of a batch have the same target, and each batch another one: the targets "
            "do not belong to their samples.",
            changes=changes,
            threshold=self.changes,
        )

    def _one_value(self, window: Window) -> Finding | None:
        low, high = scalars(window, "target_min"), scalars(window, "target_max")
        adversaries = len(window.chart.optimizers) > 1  # one of them is shown one label only
        if adversaries or len(low) < self.frames or low.min() != high.max():
            return None
        value = float(low[0])
        if window.chart.target_kind == "integer" and value == _IGNORED:
            text = f"All targets are {_IGNORED}, which the loss ignores: there is nothing to learn."
        else:
            text = f"All targets of all batches are {value:g}: there is nothing to tell apart."
        if window.chart.task is Task.REGRESSION and value == 0:
            # The residual of an equation is held against zero, and that is no label.
            text += " Unless they are what a residual is to become."
            return self.finding(
                window,
                text,
                severity=Severity.INFO,
                confidence=0.5,
                explains=frozenset(),
                value=value,
                frames=len(low),
            )
        kind = Kind.FAULT if self._is_certain(window) else Kind.SUSPICION
        return self._finding(window, text, kind=kind, value=value, frames=len(low))

    def _is_certain(self, window: Window) -> bool:
        """Whether one class for all is wrong whatever the run does: the layer before the loss has
        a bias for each class, so that it can answer that one without looking at its input."""
        chart = window.chart
        classes = chart.output_shape[1] if len(chart.output_shape) == 2 else 0
        layers = [layer for layer in chart.layers if layer.executed and layer.fan_in]
        last = max(layers, key=lambda layer: layer.order, default=None)
        if classes < 3 or chart.output_function != "linear" or last is None:
            return False
        answers = last.parameters == classes * (last.fan_in + 1)
        seen = scalars(window, "batch_size")
        return answers and len(seen) > 0 and float(seen.sum()) >= self.labels

    def _shifted(self, window: Window) -> Finding | None:
        chart = window.chart
        low, high = scalars(window, "target_min"), scalars(window, "target_max")
        classes = chart.output_shape[1] if len(chart.output_shape) == 2 else 0
        whole = chart.task is Task.MULTI_CLASS and chart.target_kind == "integer"
        if not whole or len(low) < self.frames or classes < 3:
            return None
        if low.min() != 1 or high.max() != classes - 1:
            return None
        return self._finding(
            window,
            f"The labels go from 1 to {classes - 1} but the net has an output for class 0, which "
            "never comes. Count classes from 0.",
            Severity.WARNING,
            0.8,
            smallest=1,
            outputs=classes,
        )

    def _finding(
        self,
        window: Window,
        text: str,
        severity: Severity = Severity.CRITICAL,
        confidence: float = 0.95,
        **evidence: Any,
    ) -> Finding:
        return self.finding(window, text, severity=severity, confidence=confidence, **evidence)


def _apart(window: Window, name: str, value: float, known: NDArray[np.bool_]) -> float:
    """How far one end of the targets is from all others, in deviations of batches without it.

    Where there are none it is held against the other end, by its distance from the bulk. If that
    end is fixed as well these are the bounds of a range, or one of two answers is rare.
    """
    ends, spreads = window.scalar(name)[known], window.scalar("target_std")[known]
    rest = ends != value
    if rest.any():
        return float(np.median(np.abs(ends[rest] - value) / spreads[rest]))
    other = "target_max" if name == "target_min" else "target_min"
    others = window.scalar(other)[known]
    if np.ptp(others) == 0:
        return 0.0
    means = window.scalar("target_mean")[known]
    share = 1 / (1 + ((means - value) / spreads) ** 2)  # if all others were the same
    bulk = value + (means - value) / (1 - share)
    return float(np.median(np.abs(value - bulk) / np.maximum(np.abs(others - bulk), _TINY)))
