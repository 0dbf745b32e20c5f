"""The six pathologies of Training Doctor, by sliding windows and thresholds.

It reads every gradient norm; here they are the norms of the frames, so a window of 50 spans more
steps where the probe looks less often. An adaptive threshold needs a full window; a fixed one
holds from the first value. Confidence is that of its suggestion where the paper states one.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from paramedic.diagnose.detector import Detector, threshold
from paramedic.diagnose.reference._measurements import known, losses_seen, number
from paramedic.types import Finding, Severity, Window

PAPER = "Training Doctor, section 4.1"
ADAPTIVE = "Training Doctor, section 4.3"


def gradient_norms(window: Window) -> NDArray[np.float64]:
    """The global gradient norms of the frames that have one; infinite if it was not finite."""
    return known(window.scalar("grad_norm"))


@dataclass(frozen=True, slots=True)
class NormRule(Detector):
    """A rule on the newest gradient norm and the `window` norms before it."""

    needs = frozenset({"grad_norm"})
    patience = 1

    window: int = threshold(50, "gradient norms before the newest one", source=PAPER)
    deviations: float = threshold(3.0, "k: deviations from the mean", source=ADAPTIVE)

    def missing(self, window: Window) -> str | None:
        return None if len(window.derive(gradient_norms)) else "no gradient norm was measured"

    @np.errstate(over="ignore")
    def level(self, window: Window) -> tuple[float, float]:
        """Mean and deviation of the trailing window; NaN until it is full.

        The newest norm is not part of what it is compared with, and norms that are not finite
        are left out: they have no mean.
        """
        before = window.derive(gradient_norms)[-self.window - 1 : -1]
        finite = before[np.isfinite(before)]
        if len(before) < self.window or not len(finite):
            return np.nan, np.nan
        return float(finite.mean()), float(finite.std())


@dataclass(frozen=True, slots=True)
class GradientExplosion(NormRule):
    """The gradient norm is large, or far above the norms before it.

    ## What it looks for
    The newest global gradient norm is above `largest` (critical), or above the mean of the trailing
    window plus `deviations` standard deviations (warning). Known faults: a fixed norm depends on
    the scale of the loss and the size of the model; on 600 healthy steps the adaptive threshold
    fires 8 to 14 times, because gradient norms are not normally distributed.

    ## Why is this bad?
    One huge step can throw away what was learned.

    ## Example
    ```python
    loss.backward()
    optimizer.step()
    ```

    ## Use instead
    ```python
    loss.backward()
    nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()
    ```

    ## References
    - Training Doctor: Automated Diagnosis and Treatment of Training Pathologies, 4.1 and 4.3.
    """

    code = "TD01"
    slug = "training-doctor-gradient-explosion"

    largest: float = threshold(10.0, "τ: largest sound norm", source=PAPER)

    def examine(self, window: Window) -> Finding | None:
        norm = float(window.derive(gradient_norms)[-1])
        mean, deviation = self.level(window)
        limit = mean + self.deviations * deviation
        if not (norm > self.largest or norm > limit):
            return None
        absolute = norm > self.largest
        return self.finding(
            window,
            f"The gradient norm is {norm:.3g}, above {self.largest if absolute else limit:.3g}.",
            severity=Severity.CRITICAL if absolute else Severity.WARNING,
            confidence=0.9,
            norm=norm,
            threshold=self.largest,
            adaptive_threshold=number(limit),
        )


@dataclass(frozen=True, slots=True)
class VanishingGradient(NormRule):
    """The gradient norm is almost zero, or far below the norms before it.

    ## What it looks for
    The newest global gradient norm is below `smallest` (critical), or below the mean of the
    trailing window minus `deviations` standard deviations, if that is larger (warning). Known
    fault: the norm of a run that has converged goes to zero too.

    ## Why is this bad?
    Without a gradient nothing is learned.

    ## Example
    ```python
    model = nn.Sequential(*[nn.Sequential(nn.Linear(64, 64), nn.Sigmoid()) for _ in range(50)])
    ```

    ## Use instead
    ```python
    model = nn.Sequential(*[nn.Sequential(nn.Linear(64, 64), nn.ReLU()) for _ in range(50)])
    ```

    ## References
    - Training Doctor: Automated Diagnosis and Treatment of Training Pathologies, 4.1 and 4.3.
    """

    code = "TD02"
    slug = "training-doctor-vanishing-gradient"

    smallest: float = threshold(1e-7, "ε: smallest sound norm", source=PAPER)

    def examine(self, window: Window) -> Finding | None:
        norm = float(window.derive(gradient_norms)[-1])
        mean, deviation = self.level(window)
        limit = float(np.fmax(self.smallest, mean - self.deviations * deviation))
        if not norm < limit:
            return None
        return self.finding(
            window,
            f"The gradient norm is {norm:.3g}, below {limit:.3g}.",
            severity=Severity.CRITICAL if norm < self.smallest else Severity.WARNING,
            confidence=0.7,
            norm=norm,
            threshold=self.smallest,
            adaptive_threshold=number(limit),
        )


@dataclass(frozen=True, slots=True)
class GradientInstability(Detector):
    """The gradient norms of a window scatter widely.

    ## What it looks for
    The standard deviation of the last `window` gradient norms is more than `largest` times their
    mean; norms that are not finite are left out. Known fault: it is a single spike that does it,
    and it then stays true for as long as the spike is in the window.

    ## Why is this bad?
    A rate that suits the usual gradient is too high for the rare large one.

    ## Example
    ```python
    DataLoader(data, batch_size=1)
    ```

    ## Use instead
    ```python
    DataLoader(data, batch_size=64, shuffle=True)
    ```

    ## References
    - Training Doctor: Automated Diagnosis and Treatment of Training Pathologies, section 4.1.
    """

    code = "TD03"
    slug = "training-doctor-gradient-instability"
    needs = frozenset({"grad_norm"})
    patience = 1

    window: int = threshold(50, "gradient norms that are looked at", source=PAPER)
    largest: float = threshold(2.0, "largest sound deviation over the mean", source=PAPER)

    def missing(self, window: Window) -> str | None:
        seen = len(window.derive(gradient_norms))
        return None if seen >= self.window else f"{seen} of {self.window} norms were measured"

    @np.errstate(over="ignore")
    def examine(self, window: Window) -> Finding | None:
        norms = window.derive(gradient_norms)[-self.window :]
        norms = norms[np.isfinite(norms)]
        mean = float(norms.mean()) if len(norms) else 0.0
        variation = float(norms.std()) / mean if mean > 0 else 0.0
        if variation <= self.largest:
            return None
        return self.finding(
            window,
            f"The gradient norms vary by {variation:.3g} times their mean, which is {mean:.3g}.",
            confidence=0.8,
            variation=variation,
            threshold=self.largest,
            mean=mean,
        )


@dataclass(frozen=True, slots=True)
class LossPlateau(Detector):
    """The loss does not move.

    ## What it looks for
    The variance of the losses of the last `window` steps is below `smallest`. Known fault: a
    variance depends on the scale of the loss, so a small loss is always on a plateau, and a run
    that has converged is too.

    ## Why is this bad?
    Steps are paid for and nothing is learned.

    ## Example
    ```python
    torch.optim.SGD(model.parameters(), lr=1e-9)
    ```

    ## Use instead
    ```python
    torch.optim.lr_scheduler.ReduceLROnPlateau(optimizer)
    ```

    ## References
    - Training Doctor: Automated Diagnosis and Treatment of Training Pathologies, section 4.1.
    """

    code = "TD04"
    slug = "training-doctor-loss-plateau"
    patience = 1

    window: int = threshold(20, "losses that are looked at", source=PAPER)
    smallest: float = threshold(1e-4, "smallest sound variance", source=PAPER)

    def missing(self, window: Window) -> str | None:
        seen = len(window.derive(losses_seen)[1])
        return None if seen >= self.window else f"{seen} of {self.window} losses were seen"

    @np.errstate(over="ignore")
    def examine(self, window: Window) -> Finding | None:
        losses = window.derive(losses_seen)[1][-self.window :]
        if not np.isfinite(losses).all():
            return None
        variance = float(losses.var())
        if variance >= self.smallest:
            return None
        return self.finding(
            window,
            f"The losses of the last {self.window} steps have variance {variance:.2g}.",
            confidence=1.0,
            variance=variance,
            threshold=self.smallest,
            loss=float(losses[-1]),
        )


@dataclass(frozen=True, slots=True)
class LossExplosion(Detector):
    """The loss is large, or twice the loss of the step before.

    ## What it looks for
    A loss above `largest` or above `growth` times the one before it, at any step since the frame
    before the newest. Known faults: on 600 healthy steps the second part fires about 30 times,
    because the losses of small batches are noisy; a loss of 10 is normal for a large vocabulary or
    a sum; below zero each loss is more than twice itself; a NaN compares as false and is not found.

    ## Why is this bad?
    A loss that runs away seldom comes back.

    ## Example
    ```python
    torch.optim.SGD(model.parameters(), lr=10.0)
    ```

    ## Use instead
    ```python
    torch.optim.SGD(model.parameters(), lr=0.01)
    ```

    ## References
    - Training Doctor: Automated Diagnosis and Treatment of Training Pathologies, section 4.1.
    """

    code = "TD05"
    slug = "training-doctor-loss-explosion"
    patience = 1

    largest: float = threshold(10.0, "largest sound loss", source=PAPER)
    growth: float = threshold(2.0, "largest sound loss over the one before it", source=PAPER)

    def missing(self, window: Window) -> str | None:
        return None if len(window.derive(losses_seen)[1]) else "no loss was seen"

    def examine(self, window: Window) -> Finding | None:
        steps, losses = window.derive(losses_seen)
        # Frames are where a run is judged: this way each step is judged once, looked at or not.
        first = window.steps[-2] + 1 if len(window.steps) > 1 else steps[-1]
        new = min(int(np.searchsorted(steps, first)), len(steps) - 1)
        loss = losses[new:]
        before = losses[new - 1 : -1] if new else np.append(np.nan, losses[:-1])
        exploded = np.flatnonzero((loss > self.largest) | (loss > self.growth * before))
        if not len(exploded):
            return None
        worst = exploded[-1]
        return self.finding(
            window,
            f"The loss went from {before[worst]:.3g} to {loss[worst]:.3g} at step "
            f"{steps[new + worst]}.",
            confidence=1.0,
            loss=float(loss[worst]),
            threshold=self.largest,
            before=number(before[worst]),
            growth_threshold=self.growth,
        )


@dataclass(frozen=True, slots=True)
class Overfitting(Detector):
    """The validation loss is above the training loss.

    ## What it looks for
    In the newest epoch that has both, the validation loss is more than `moderate` (warning) or
    `severe` (critical) above the training loss. Known fault: the difference depends on the scale
    of the loss, and a validation loss that still falls is no overfitting.

    ## Why is this bad?
    The model learns its examples by heart.

    ## Example
    ```python
    nn.Sequential(nn.Linear(784, 4096), nn.ReLU(), nn.Linear(4096, 10))
    ```

    ## Use instead
    ```python
    nn.Sequential(nn.Linear(784, 256), nn.ReLU(), nn.Dropout(0.3), nn.Linear(256, 10))
    ```

    ## References
    - Training Doctor: Automated Diagnosis and Treatment of Training Pathologies, section 4.1.
    """

    code = "TD06"
    slug = "training-doctor-overfitting"
    patience = 1

    moderate: float = threshold(0.2, "smallest gap that is overfitting", source=PAPER)
    severe: float = threshold(0.5, "smallest gap that is severe", source=PAPER)

    def missing(self, window: Window) -> str | None:
        seen = len(known(gaps(window)))
        return None if seen else "no epoch has both `train_loss` and `val_loss`"

    def examine(self, window: Window) -> Finding | None:
        gap = float(known(gaps(window))[-1])
        if not gap > self.moderate:
            return None
        severe = gap > self.severe
        return self.finding(
            window,
            f"The validation loss is {gap:.3g} above the training loss.",
            severity=Severity.CRITICAL if severe else Severity.WARNING,
            confidence=0.8,
            gap=gap,
            threshold=self.severe if severe else self.moderate,
        )


def gaps(window: Window) -> NDArray[np.float64]:
    """Validation loss minus training loss of each epoch; NaN where one of them is not known."""
    with np.errstate(invalid="ignore"):
        return window.series("val_loss") - window.series("train_loss")
