"""A002: sigmoid or tanh units at their bounds."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from paramedic.diagnose.curve import curve
from paramedic.diagnose.detector import Detector, threshold
from paramedic.diagnose.rows import names, saturated_shares, saturated_units
from paramedic.types import Finding, Severity, Window


@dataclass(frozen=True, slots=True)
class SaturatedActivation(Detector):
    """Most values of a bounded activation lie at its bounds.

    ## What it looks for
    A hidden layer with sigmoid, tanh or a clamp most of whose values are within 1 % of a bound,
    look after look, while the net does not learn.

    ## Why is this bad?
    At its bounds such a function is flat: its gradient is nearly zero, and so is that of all
    layers before it. Inputs that are too large, weights that are too large or a step too far
    bring it there.

    ## Example
    ```python
    nn.init.normal_(layer.weight, std=10.0)         # before a tanh
    ```

    ## Use instead
    ```python
    nn.init.xavier_uniform_(layer.weight)           # or ReLU, or normalisation before the tanh
    ```

    ## References
    - Glorot and Bengio, "Understanding the difficulty of training deep feedforward neural
      networks", 2010.
    """

    code = "A002"
    slug = "saturated-activation"
    explains = frozenset(
        {"vanishing-gradient", "loss-plateau", "slow-convergence", "learning-rate-too-low",
         "uninformative-labels", "no-more-gain", "oscillating-loss", "gradient-instability",
         "untrained-parameters", "exploding-gradient"}
    )  # fmt: skip

    saturated: float = threshold(
        0.84,
        "share of the values of a layer at a bound",
        source="tuning half: healthy up to 0.80, sick from 0.92 on but for some gated units",
    )
    learned: float = threshold(
        0.2, "share of the loss that is gone, above which the net learns", source="as above"
    )
    frames: int = threshold(4, "frames that must agree", source="one batch may be odd")

    def missing(self, window: Window) -> str | None:
        seen = len(window.of_frames(saturated_units))
        if not seen:
            return "the model has no bounded activation whose output could be seen"
        if window.derive(curve) is None:
            return "too few losses were seen"
        return None if seen >= self.frames else f"too few steps were looked at: {seen}"

    def examine(self, window: Window) -> Finding | None:
        loss = window.derive(curve)
        assert loss is not None
        if loss.learned > self.learned or loss.falling:
            return None
        shares = window.of_frames(saturated_shares)
        worst = int(shares.argmax())
        if shares[worst] < self.saturated:
            return None
        rows = [int(row) for row in np.flatnonzero(shares >= self.saturated)]
        return self.finding(
            window,
            f"{shares[worst]:.0%} of the values of `{window.names[worst]}` lie at a bound of its "
            f"activation, where the gradient is nearly zero, and the net hardly learns "
            f"(loss {loss.last:.4g}).",
            severity=Severity.CRITICAL,
            confidence=0.88,
            where=names(window, rows),
            saturated=float(shares[worst]),
            threshold=self.saturated,
            learned=loss.learned,
        )
