"""L006: the best is over; benign."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from paramedic.diagnose.detector import Detector, threshold
from paramedic.types import Finding, Kind, Severity, Window


@dataclass(frozen=True, slots=True)
class NoMoreGain(Detector):
    """The best epoch is long past and nothing better has come since.

    ## What it looks for
    A validation loss (training loss where none was handed in) whose best value lies well before
    the latest stretch of epochs, beyond its noise or without any change at all. It is benign: the
    run may be finished.

    ## Why is this bad?
    It is not, but the time after the best epoch is wasted. A search over hyperparameters can end
    the trial and keep its best value.

    ## Example
    ```python
    for epoch in range(500): ...            # best in epoch 40
    ```

    ## Use instead
    ```python
    if epoch - best_epoch > patience:
        break
    ```

    ## References
    - BTTackler, NMG: the minimum of the latest window is above that of the run.
    """

    code = "L006"
    slug = "no-more-gain"
    kind = Kind.SYMPTOM
    excludes = frozenset({"too-few-steps"})
    patience = 2
    by_epoch = True

    share: float = threshold(
        0.4, "latest share of the epochs without a new best", source="BTTackler: 6 of 20, and noise"
    )
    epochs: int = threshold(8, "epochs before it is judged", source="the first epochs are noisy")
    gain: float = threshold(
        0.01, "gain, as a share of all that was gained, that is none", source="tuning half"
    )

    def missing(self, window: Window) -> str | None:
        seen = int(np.isfinite(_series(window)).sum())
        if not seen:
            return "no loss of epochs was handed in: monitor.epoch(train_loss=…, val_loss=…)"
        return None if seen >= self.epochs else f"too few epochs: {seen} of {self.epochs}"

    def examine(self, window: Window) -> Finding | None:
        series = _series(window)
        series = series[np.isfinite(series)]
        split = len(series) - max(int(self.share * len(series)), 3)
        before, latest = float(series[:split].min()), float(series[split:].min())
        gained = float(series[0]) - before
        if gained <= 0 or before - latest > self.gain * gained:
            return None
        return self.finding(
            window,
            f"The best loss ({before:.4g}) was reached in epoch {int(series[:split].argmin())} of "
            f"{len(series)}; nothing better has come since. The run may be finished.",
            severity=Severity.INFO,
            confidence=0.8,
            best=before,
            latest=latest,
            epochs_since=len(series) - 1 - int(series[:split].argmin()),
            threshold=self.share,
        )


def _series(window: Window) -> NDArray[np.float64]:
    validation = window.series("val_loss")
    return validation if np.isfinite(validation).any() else window.series("train_loss")
