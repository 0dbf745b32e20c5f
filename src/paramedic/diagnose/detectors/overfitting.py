"""T001: the net learns the training data by heart."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from paramedic.diagnose.detector import Detector, threshold
from paramedic.diagnose.rows import middle
from paramedic.types import Finding, Kind, Window


@dataclass(frozen=True, slots=True)
class Overfitting(Detector):
    """The loss on validation data rises while that on training data still falls.

    ## What it looks for
    A validation loss that has risen above its best by more than its own noise and by a real share
    of what was gained, while the training loss fell on. A validation accuracy that still improves
    vetoes.

    ## Why is this bad?
    From its best epoch on the net gets worse at what it is for. What it still learns are the
    accidents of the training samples.

    ## Example
    ```python
    model = nn.Sequential(nn.Linear(64, 4096), nn.ReLU(), nn.Linear(4096, 10))   # 200 samples
    ```

    ## Use instead
    ```python
    model = nn.Sequential(nn.Linear(64, 64), nn.ReLU(), nn.Dropout(0.3), nn.Linear(64, 10))
    optimizer = torch.optim.AdamW(model.parameters(), weight_decay=0.05)
    ```
    Or stop at the best epoch, or get more data.

    ## References
    - Training Doctor: validation minus training loss above 0.2; that depends on the
      scale of the loss, this one does not.
    """

    code = "T001"
    slug = "overfitting"
    kind = Kind.SYMPTOM
    explains = frozenset({"no-more-gain", "loss-plateau", "too-few-steps"})
    patience = 2
    by_epoch = True

    epochs: int = threshold(5, "epochs before it is judged", source="the first epochs are noisy")
    rise: float = threshold(
        0.1, "rise above the best, as a share of the best loss", source="tuning half of the zoo"
    )
    certain: float = threshold(3.0, "rise in units of the noise", source="three sigma")

    def missing(self, window: Window) -> str | None:
        both = np.isfinite(window.series("val_loss")) & np.isfinite(_training(window))
        if not both.any():
            return "no validation loss was handed in: monitor.epoch(train_loss=…, val_loss=…)"
        if both.sum() < self.epochs:
            return f"too few epochs: {int(both.sum())} of {self.epochs}"
        return None

    def examine(self, window: Window) -> Finding | None:
        validation, training = window.series("val_loss"), _training(window)
        known = np.isfinite(validation) & np.isfinite(training)
        validation, training = validation[known], training[known]
        place = int(validation.argmin())
        after = validation[place + 1 :]
        if len(after) < 2:
            return None
        best, now = float(validation[place]), middle(after[-3:])
        noise = _noise(validation)
        needed = max(self.rise * abs(best), self.certain * noise)
        fell = training[place] - middle(training[-3:])
        if now - best < needed or fell <= 0 or _accuracy_improves(window):
            return None
        return self.finding(
            window,
            f"The validation loss was best ({best:.4g}) in epoch {place} and has risen to "
            f"{now:.4g} while the training loss fell from {training[place]:.4g} to "
            f"{training[-1]:.4g}: the net learns its training data by heart.",
            confidence=0.9,
            best=best,
            best_epoch=place,
            now=now,
            rise=now - best,
            threshold=needed,
        )


def _training(window: Window) -> NDArray[np.float64]:
    return window.series("train_loss")


def _noise(series: NDArray[np.float64]) -> float:
    """How much a value differs from its neighbours by chance."""
    return middle(np.abs(np.diff(series, 2))) * 1.4826 / 6**0.5 if len(series) > 2 else 0.0


def _accuracy_improves(window: Window) -> bool:
    accuracy = window.series("val_acc")
    accuracy = accuracy[np.isfinite(accuracy)]
    if len(accuracy) < 4:
        return False
    recent = len(accuracy) - max(len(accuracy) // 4, 2)
    return bool(accuracy[recent:].max() > accuracy[:recent].max() + 0.005)
