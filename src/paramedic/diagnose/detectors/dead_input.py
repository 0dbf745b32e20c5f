"""D004: the inputs do not differ from each other."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from paramedic.diagnose.detector import Detector, threshold
from paramedic.diagnose.rows import dead_shares, learners, measured, scalars
from paramedic.types import Chart, Finding, Kind, Severity, Window

_SINGLE = (1, 2)  # parameters of a normalisation of one feature: a scale, and an offset
_DEAD = 0.95  # share of dead units of a layer that lets nothing through


@dataclass(frozen=True, slots=True)
class DeadInput(Detector):
    """All samples of a batch are the same to the net.

    ## What it looks for
    Batches in which no feature differs from sample to sample, or in which all samples are equal
    behind the first layer (a mask inside the model), at every step that was looked at.

    ## Why is this bad?
    A net that is shown the same thing for every target can only learn how often each target
    comes. The data were lost on the way: a wrong column, a mask over everything, a division by a
    huge number, the same file read again and again.

    ## Example
    ```python
    x = (x > 300).float()           # pixels are at most 255: all zeros
    ```

    ## Use instead
    ```python
    x = x.float() / 255
    assert x.std() > 0
    ```

    ## References
    - Public issue trackers: "all inputs are zero".
    """

    code = "D004"
    slug = "dead-input"
    needs = frozenset({"input_constant"})
    explains = frozenset(
        {"loss-plateau", "slow-convergence", "vanishing-gradient", "uninformative-labels",
         "dying-relu", "learning-rate-too-low", "untrained-parameters", "no-more-gain",
         "poor-initialization", "saturated-activation", "oscillating-loss", "overfitting",
         "gradient-instability", "abnormal-data"}
    )  # fmt: skip
    patience = 1

    constant: float = threshold(
        1.0, "share of features that do not vary", source="borders of images are constant, too"
    )
    frames: int = threshold(5, "frames in a row", source="one batch may be odd")

    def missing(self, window: Window) -> str | None:
        seen = len(scalars(window, "input_constant"))
        return None if seen >= self.frames else f"too few batches were looked at: {seen}"

    def examine(self, window: Window) -> Finding | None:
        shares = scalars(window, "input_constant", self.frames)
        behind = scalars(window, "first_constant", self.frames)
        if len(behind) == self.frames and (behind >= self.constant).all() and _carries(window):
            shares = behind
        if not (shares >= self.constant).all():
            return None
        low, high = scalars(window, "input_min", 1), scalars(window, "input_max", 1)
        values = f" (values from {low[0]:.3g} to {high[0]:.3g})" if len(low) and len(high) else ""
        return self.finding(
            window,
            f"All samples of a batch are equal{values}: the inputs carry nothing to learn from. "
            "Look at what the data loader gives.",
            severity=Severity.CRITICAL,
            confidence=0.97,
            # Of equal samples some other input may differ; a single value carries nothing.
            kind=Kind.FAULT if len(low) and low[0] == high[0] else Kind.SUSPICION,
            constant_features=float(shares.min()),
            threshold=self.constant,
        )


def _carries(window: Window) -> bool:
    """Whether the net would pass on what differs: its first layer has weights that differ, no
    layer is dead, and none normalises a single feature. Else it makes all samples equal itself."""
    if window.of_chart(_levels):
        return False
    rows = learners(window)
    spread = measured(window, "weight_var", 1)
    if not (len(rows) and len(spread) and spread[-1, rows[0]] > 0):
        return False
    return bool(np.fmax.reduce(window.of_frames(dead_shares), initial=0.0) < _DEAD)


def _levels(chart: Chart) -> bool:
    """Whether a layer takes its mean away from a single feature: nothing is left of that."""
    return any(layer.kind == "LayerNorm" and layer.parameters in _SINGLE for layer in chart.layers)
