"""O008: the run ended while it was still learning fast."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from paramedic.diagnose.curve import Curve, curve
from paramedic.diagnose.detector import Detector, threshold
from paramedic.types import Finding, Severity, Task, Window

_FEW_EPOCHS = 5
_TINY = 1e-30


@dataclass(frozen=True, slots=True)
class TooFewSteps(Detector):
    """The run ended while the loss was still falling steeply.

    ## What it looks for
    At the end of a run: a loss that fell, in the last quarter of the steps, by a good share of
    what was left of it, far beyond its noise.

    ## Why is this bad?
    The result says more about when the run was stopped than about the model. Comparing such runs
    picks the fast starters.

    ## Example
    ```python
    for epoch in range(2): ...          # the loss halves in each of them
    ```

    ## Use instead
    ```python
    for epoch in range(20): ...         # until the loss has levelled off
    ```

    ## References
    - BTTackler ends trials that gain no more; this is the other side of it.
    """

    code = "O008"
    slug = "too-few-steps"
    excludes = frozenset({"no-more-gain", "overfitting"})
    patience = 1

    steps: int = threshold(20, "steps before it is judged", source="a shorter run is a trial")
    fall: float = threshold(
        0.1,
        "fall over the last quarter of the run, as a share of the loss at its beginning",
        source="tuning half of the zoo",
    )

    worth: float = threshold(
        0.02, "the same as a share of the initial loss", source="near zero any fall is large"
    )
    fall_steady: float = threshold(
        0.03, "the same, if it falls as fast as ever", source="tuning half of the zoo"
    )
    steady: float = threshold(
        0.5, "share of the average pace that is left then", source="tuning half of the zoo"
    )
    fall_language: float = threshold(
        0.03, "the same for language models, whose loss has a high floor", source="as above"
    )

    def missing(self, window: Window) -> str | None:
        if not window.ended:
            return "the run has not ended"
        seen = len(window.pulse)
        return None if seen >= self.steps else f"too few steps: {seen} of {self.steps}"

    def examine(self, window: Window) -> Finding | None:
        loss = window.derive(curve)
        if loss is None:
            return None
        share = max(loss.pace, _epoch_pace(window))
        if (
            (loss.pace and -loss.change(0.25)[0] < self.worth)
            or share < self._enough(window, loss)
            or _rests(window.series("val_loss"))
        ):
            return None
        return self.finding(
            window,
            f"The run ended while the loss still fell by {share:.0%} in its last quarter (now "
            f"{loss.last:.4g}). Train longer.",
            severity=Severity.INFO,
            confidence=0.8,
            fall=share,
            threshold=self._enough(window, loss),
            steadiness=loss.steadiness,
        )

    def _enough(self, window: Window, loss: Curve) -> float:
        """The fall that is worth more steps."""
        if window.chart.task is Task.LANGUAGE_MODEL:
            return self.fall_language
        steadiness = max(loss.steadiness, _epoch_steadiness(window))
        return self.fall_steady if steadiness > self.steady else self.fall


def _epoch_pace(window: Window) -> float:
    """The fall of the last of few epochs, if training and validation loss fell in all of them:
    the losses of so few steps may be too noisy to tell."""
    series = window.derive(_few_epochs)
    falls = [-np.diff(one) / np.maximum(np.abs(one[:-1]), _TINY) for one in series]
    return float(min((fall[-1] for fall in falls), default=0.0))


def _epoch_steadiness(window: Window) -> float:
    """How much of the average pace of such epochs is left in the last of them."""
    shares = [np.diff(one)[-1] / np.diff(one).mean() for one in window.derive(_few_epochs)]
    return float(min(shares, default=0.0))


def _few_epochs(window: Window) -> list[NDArray[np.float64]]:
    """Training and validation loss of few epochs, if both fell in all of them, else nothing."""
    series = [window.series(name) for name in ("train_loss", "val_loss")]
    known = np.isfinite(series[0]) & np.isfinite(series[1])
    if not 3 <= known.sum() <= _FEW_EPOCHS:
        return []
    chosen = [one[known] for one in series]
    return chosen if all((np.diff(one) < 0).all() for one in chosen) else []


def _rests(validation: NDArray[np.float64]) -> bool:
    """Whether the validation loss has its best behind it."""
    seen = validation[np.isfinite(validation)]
    return len(seen) > 3 and int(seen.argmin()) < 0.75 * (len(seen) - 1)
