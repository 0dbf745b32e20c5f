"""G001: gradients that do not reach the early layers."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from paramedic.diagnose.curve import curve
from paramedic.diagnose.detector import Detector, threshold
from paramedic.diagnose.motion import motion
from paramedic.diagnose.rows import dead_shares, learners, names
from paramedic.types import Finding, Severity, Window


@dataclass(frozen=True, slots=True)
class VanishingGradient(Detector):
    """The gradient shrinks from layer to layer until the first layers get next to nothing.

    ## What it looks for
    Gradients per weight in the first half of the layers that are a tiny fraction of those in the
    last ones, while the net does not learn. Small gradients alone are no sickness: near the end
    of a good run all gradients are small, and an adaptive optimizer makes up for moderate
    differences.

    ## Why is this bad?
    The early layers stay as they were initialised, and the late ones see inputs scrambled by
    random weights. Sigmoid and tanh multiply the gradient by less than one in each layer; in a
    deep net these factors make a product.

    ## Example
    ```python
    layers = [nn.Linear(32, 32), nn.Sigmoid()] * 20
    ```

    ## Use instead
    ```python
    layers = [nn.Linear(32, 32), nn.BatchNorm1d(32), nn.ReLU()] * 20
    ```
    Or residual connections, or a recurrent cell with gates.

    ## References
    - AUTOTRAINER, problem VG: first to last layer below 1e-3, and below 1e-4 itself.
    - Hochreiter, "The vanishing gradient problem during learning recurrent neural nets", 1998.
    """

    code = "G001"
    slug = "vanishing-gradient"
    needs = frozenset({"grad_norm"})
    explains = frozenset(
        {"loss-plateau", "slow-convergence", "learning-rate-too-low", "untrained-parameters",
         "uninformative-labels", "no-more-gain"}
    )  # fmt: skip
    excludes = frozenset({"exploding-gradient"})

    ratio: float = threshold(
        1e-3, "gradient per weight of an early layer against the last ones", source="AUTOTRAINER"
    )
    learned: float = threshold(
        0.1, "share of the loss that is gone, above which the net learns", source="tuning half"
    )
    steps: int = threshold(15, "steps before it is judged", source="the first steps may be slow")

    def missing(self, window: Window) -> str | None:
        move, loss = window.derive(motion), window.derive(curve)
        if move is None or loss is None or loss.steps < self.steps:
            return "too few steps were seen"
        return None if np.isfinite(move.depth_ratio) else "the model has fewer than three layers"

    def examine(self, window: Window) -> Finding | None:
        move, loss = window.derive(motion), window.derive(curve)
        assert move is not None
        assert loss is not None
        ratio = move.depth_ratio
        if ratio == 0 or _dead(window):  # nothing gets past dead units: that has its own name
            return None
        if ratio > self.ratio or loss.learned > self.learned or loss.falling:
            return None
        rows = learners(window)
        late = move.gradients[np.isfinite(move.gradients)][-2:].max()
        starved = rows[move.gradients < self.ratio * late]
        return self.finding(
            window,
            f"The gradient of `{window.names[rows[int(np.nanargmin(move.gradients))]]}` is "
            f"{ratio:.1e} of that of the last layers, per weight, and the loss does not fall "
            f"({loss.last:.4g}): the early layers do not learn.",
            severity=Severity.CRITICAL,
            confidence=0.9,
            where=names(window, starved),
            ratio=ratio,
            threshold=self.ratio,
            learned=loss.learned,
        )


def _dead(window: Window) -> bool:
    return bool(np.fmax.reduce(window.derive(dead_shares), initial=0.0) >= _DEAD)


_DEAD = 0.9  # share of the units of a layer
