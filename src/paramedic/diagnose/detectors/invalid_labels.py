"""D002: targets that cannot be right."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from paramedic.diagnose.detector import Detector, threshold
from paramedic.diagnose.rows import scalars
from paramedic.types import Finding, Severity, Task, Window

_IGNORED = -100  # the `ignore_index` of torch's cross-entropy


@dataclass(frozen=True, slots=True)
class InvalidLabels(Detector):
    """The targets are missing, all the same, or do not fit the outputs.

    ## What it looks for
    NaN among the targets; only the value that the loss ignores (-100); the same single target in
    every batch; class numbers that start at 1 although the net has an output for class 0.

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
    - Public issue trackers: "all labels masked" (seeds.md, section 4).
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

    frames: int = threshold(8, "frames that must agree", source="a small batch may be of one class")

    def missing(self, window: Window) -> str | None:
        if len(scalars(window, "target_nan")):
            return None
        return "the targets could not be seen"

    def examine(self, window: Window) -> Finding | None:
        missing = scalars(window, "target_nan")
        if (missing > 0).any():
            share = float(missing.max())
            return self._finding(
                window, f"{share:.1%} of the targets of a batch are NaN or infinite.", share=share
            )
        return self._one_value(window) or self._shifted(window)

    def _one_value(self, window: Window) -> Finding | None:
        low, high = scalars(window, "target_min"), scalars(window, "target_max")
        if len(low) < self.frames or low.min() != high.max():
            return None
        value = float(low[0])
        if window.chart.target_kind == "integer" and value == _IGNORED:
            text = f"All targets are {_IGNORED}, which the loss ignores: there is nothing to learn."
        else:
            text = f"All targets of all batches are {value:g}: there is nothing to tell apart."
        return self._finding(window, text, value=value, frames=len(low))

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
