"""O006: the loss compares tensors of different shapes, which torch broadcasts."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from paramedic.diagnose.detector import Detector, threshold
from paramedic.types import Finding, Kind, Severity, Window


@dataclass(frozen=True, slots=True)
class LossShapeMismatch(Detector):
    """The output and the targets have different shapes, and the loss broadcasts them.

    ## What it looks for
    An elementwise loss whose comparison has more elements than the output: `[N, 1]` against `[N]`
    becomes `[N, N]`, every prediction compared with every target. Several targets for each sample,
    `[N, 1]` against `[N, 5]`, may be meant and are a note.

    ## Why is this bad?
    Compared with all targets, the best that each prediction can do is their mean. The loss falls
    a little, then stays at the variance of the targets, and nothing is learned of the inputs.
    torch warns once, and not at all if the loss is written by hand.

    ## Example
    ```python
    loss = F.mse_loss(model(x), y)          # [32, 1] and [32]
    ```

    ## Use instead
    ```python
    loss = F.mse_loss(model(x).squeeze(-1), y)
    ```

    ## References
    - PyTorch, "Broadcasting semantics".
    """

    code = "O006"
    slug = "loss-shape-mismatch"
    kind = Kind.FAULT
    explains = frozenset(
        {"loss-plateau", "slow-convergence", "uninformative-labels", "vanishing-gradient",
         "learning-rate-too-low", "no-more-gain", "dying-relu", "oscillating-loss",
         "untrained-parameters", "poor-initialization"}
    )  # fmt: skip
    patience = 1
    lasting = True

    factor: float = threshold(
        2.0, "times more comparisons than outputs", source="any broadcasting at least doubles them"
    )

    def missing(self, window: Window) -> str | None:
        chart = window.chart
        if chart.output_shape and chart.target_shape:
            return None
        return "the shapes that the loss compares could not be seen"

    def examine(self, window: Window) -> Finding | None:
        chart = window.chart
        if chart.loss not in ("mse", "l1", "smooth-l1", "huber", "gaussian-nll"):
            return None
        output, target = chart.output_shape, chart.target_shape
        try:
            compared = np.broadcast_shapes(output, target)
        except ValueError:
            return None
        ratio = math.prod(compared) / max(math.prod(output), 1)
        if ratio < self.factor:
            return None
        return self.finding(
            window,
            f"The loss compares an output of shape {list(output)} with targets that make it "
            f"{list(compared)}: every prediction is compared with every target. Give both the "
            "same shape, for example with `output.squeeze(-1)`.",
            # Where samples stand beside samples each may have several answers of its own.
            severity=Severity.INFO if _is_aligned(output, target) else Severity.CRITICAL,
            confidence=0.98,
            output_shape=list(output),
            compared_shape=list(compared),
            comparisons_per_output=ratio,
            threshold=self.factor,
        )


def _is_aligned(output: Sequence[int], target: Sequence[int]) -> bool:
    """Whether the first dimensions, those of the samples, are held against each other."""
    return len(output) == len(target) > 1 and output[0] == target[0] > 1
