"""The seven quality indicators of BTTackler.

The run is in its early stage up to half of the planned epochs, then in its late stage; the planned
number is not recorded, so it is a threshold. The rule that only its public code has (late losses
that vary more than early ones) is not part of it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from paramedic.diagnose.detector import Detector, threshold
from paramedic.diagnose.reference._measurements import (
    layers_with_parameters,
    measured_frames,
    non_finite_steps,
)
from paramedic.diagnose.reference._stages import (
    CODE,
    PAPER,
    AdjacentLayersRule,
    LateLossRule,
    StagedRule,
    amplification,
    gradient_sizes,
    slope_of,
    train_losses,
    zero_shares,
)
from paramedic.types import Finding, Severity, Window


@dataclass(frozen=True, slots=True)
class AbnormalGradientValues(Detector):
    """A gradient is not finite, or larger than sense allows.

    ## What it looks for
    At any stage: a gradient of the frames shown, or an event since the first of them, that is NaN
    or infinite; or a layer whose mean |g| in the newest full frame is above `largest`. Known fault:
    a gradient scaler makes infinite gradients in health and skips them. (In the public code the
    flag for NaN can never be set; here it can.)

    ## Why is this bad?
    One such step destroys the weights.

    ## Example
    ```python
    loss = torch.log(probabilities).mean()
    ```

    ## Use instead
    ```python
    loss = torch.log_softmax(logits, dim=1).mean()
    ```

    ## References
    - Pei et al., 2024, BTTackler, KDD, section 3.2, AGV.
    """

    code = "BT01"
    slug = "bttackler-abnormal-gradient-values"
    needs = frozenset({"grad_norm", "grad_mean_abs"})
    patience = 1

    largest: float = threshold(1e4, "largest sound mean of |g| in a layer", source=CODE)

    def missing(self, window: Window) -> str | None:
        seen = len(measured_frames(window.layer("grad_norm"))) or self._told(window)
        seen = seen or window.derive(gradient_sizes) is not None
        return None if seen else "no gradient was measured"

    def examine(self, window: Window) -> Finding | None:
        columns = window.derive(layers_with_parameters)
        sizes = window.derive(gradient_sizes)
        means = np.zeros(len(columns)) if sizes is None else np.nan_to_num(sizes, posinf=np.inf)
        bad = np.isinf(window.layer("grad_norm")[:, columns]).any(axis=0) | np.isinf(means)
        sick = bad | (means > self.largest)
        if not sick.any() and not self._told(window):
            return None
        worst = float(means.max(initial=0.0))
        non_finite = bool(bad.any() or self._told(window))
        return self.finding(
            window,
            "A gradient was not finite." if non_finite else f"A layer's mean |g| is {worst:.3g}.",
            confidence=1.0,
            where=[window.names[place] for place in columns[sick]],
            mean_abs=worst,
            threshold=self.largest,
            non_finite=non_finite,
        )

    @staticmethod
    def _told(window: Window) -> bool:
        """Whether an event tells of a non-finite value since the first frame shown."""
        oldest = window.steps[0] if len(window.steps) else 0
        return bool((window.derive(non_finite_steps) >= oldest).any())


@dataclass(frozen=True, slots=True)
class ExponentiallyAmplifiedGradients(AdjacentLayersRule):
    """From layer to layer the gradient grows by a large factor.

    ## What it looks for
    In the early stage: the median over adjacent layers of mean |g| of the one over mean |g| of the
    next, in the newest full frame, is above `largest`. Known fault: at a factor of 1000 per layer
    three layers are a billion; a median that large is only seen when half of the layers are hit.

    ## Why is this bad?
    It is the early sign of exploding gradients.

    ## Example
    ```python
    nn.init.normal_(layer.weight, std=100.0)
    ```

    ## Use instead
    ```python
    nn.init.xavier_normal_(layer.weight)
    ```

    ## References
    - Pei et al., 2024, BTTackler, KDD, section 3.2, EAG.
    """

    code = "BT02"
    slug = "bttackler-exponentially-amplified-gradients"

    largest: float = threshold(1e3, "largest sound median of the factors", source=CODE)

    def examine(self, window: Window) -> Finding | None:
        median = window.derive(amplification)
        if self.is_late(window) or not median > self.largest:
            return None
        return self.told(window, median, self.largest)


@dataclass(frozen=True, slots=True)
class ExponentiallyReducedGradients(AdjacentLayersRule):
    """From layer to layer the gradient shrinks by a large factor.

    ## What it looks for
    In the early stage: the median over adjacent layers of mean |g| of the one over mean |g| of the
    next, in the newest full frame, is below `smallest`. Known fault: a gradient that is zero in all
    layers has no ratio and is missed; a factor of 0.01 in ten layers is not found.

    ## Why is this bad?
    It is the early sign of vanishing gradients.

    ## Example
    ```python
    nn.init.normal_(layer.weight, std=1e-6)
    ```

    ## Use instead
    ```python
    nn.init.xavier_normal_(layer.weight)
    ```

    ## References
    - Pei et al., 2024, BTTackler, KDD, section 3.2, ERG.
    """

    code = "BT03"
    slug = "bttackler-exponentially-reduced-gradients"

    smallest: float = threshold(1e-4, "smallest sound median of the factors", source=CODE)

    def examine(self, window: Window) -> Finding | None:
        median = window.derive(amplification)
        if self.is_late(window) or not median < self.smallest:
            return None
        return self.told(window, median, self.smallest)


@dataclass(frozen=True, slots=True)
class PassiveLossChanges(StagedRule):
    """The training loss hardly changes.

    ## What it looks for
    In the early stage: the mean of |L(i+1) - L(i)| over the epochs, divided by the first loss, is
    below `smallest`. Known fault: a loss that starts below zero always is, and a large first loss
    makes every later change look small.

    ## Why is this bad?
    The optimizer has no effect: the trial will not get anywhere.

    ## Example
    ```python
    torch.optim.SGD(model.parameters(), lr=1e-9)
    ```

    ## Use instead
    ```python
    torch.optim.SGD(model.parameters(), lr=0.01)
    ```

    ## References
    - Pei et al., 2024, BTTackler, KDD, section 3.2, PLC.
    """

    code = "BT04"
    slug = "bttackler-passive-loss-changes"

    smallest: float = threshold(1e-3, "smallest mean change over the first loss", source=PAPER)

    def missing(self, window: Window) -> str | None:
        few = len(window.derive(train_losses)) < 2
        return "fewer than two training losses of epochs were handed in" if few else None

    def examine(self, window: Window) -> Finding | None:
        losses = window.derive(train_losses)
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            change = float(np.abs(np.diff(losses)).mean() / losses[0])
        if self.is_late(window) or not change < self.smallest:
            return None
        return self.finding(
            window,
            f"The training loss changes by {change:.2g} of its first value per epoch.",
            confidence=1.0,
            change=change,
            threshold=self.smallest,
            first_loss=float(losses[0]),
        )


@dataclass(frozen=True, slots=True)
class LowActivationRatio(Detector):
    """Many units are not active.

    ## What it looks for
    At any stage, after `fewest` epochs: the share of units that are zero for the whole batch, in
    the newest frame that has it, as a median over the layers, is above `largest`. It reads the
    rectifying functions; where none was seen, the share of zero gradients of the layers with
    parameters, which is what BTTackler itself records. Known fault: such gradients are zero in an
    embedding in health too.

    ## Why is this bad?
    Units that are not active pass no gradient back.

    ## Example
    ```python
    nn.init.constant_(layer.bias, -10.0)
    ```

    ## Use instead
    ```python
    nn.init.zeros_(layer.bias)
    ```

    ## References
    - Pei et al., 2024, BTTackler, KDD, section 3.2, LAR.
    """

    code = "BT05"
    slug = "bttackler-low-activation-ratio"
    needs = frozenset({"act_dead", "input_dead", "grad_zero"})
    patience = 1

    largest: float = threshold(0.5, "largest sound median share of zero units", source=CODE)
    fewest: int = threshold(5, "epochs before it is judged", source=CODE)

    def missing(self, window: Window) -> str | None:
        if len(window.epochs) < self.fewest:
            return f"{len(window.epochs)} of {self.fewest} epochs have ended"
        seen = len(window.derive(zero_shares)[0])
        return None if seen else "neither activations nor gradients were measured"

    def examine(self, window: Window) -> Finding | None:
        names, shares = window.derive(zero_shares)
        median = float(np.median(shares))
        if not median > self.largest:
            return None
        return self.finding(
            window,
            f"The median over the layers of the share of zero units is {median:.0%}.",
            confidence=1.0,
            where=[names[place] for place in np.flatnonzero(shares > self.largest)],
            median=median,
            threshold=self.largest,
            layers=len(shares),
        )


@dataclass(frozen=True, slots=True)
class UnexpectedLossChanges(LateLossRule):
    """Late in the run the training loss rises and fluctuates.

    ## What it looks for
    In the late stage, over the last `share` of the planned epochs: a line through the training
    losses rises by at least `slope` per epoch, and their standard deviation is more than
    `fluctuation` times their mean. Known fault: the slope depends on the scale of the loss.

    ## Why is this bad?
    At that point a run should converge; it does not.

    ## Example
    ```python
    torch.optim.SGD(model.parameters(), lr=1.0)
    ```

    ## Use instead
    ```python
    torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=epochs)
    ```

    ## References
    - Pei et al., 2024, BTTackler, KDD, section 3.2, ULC.
    """

    code = "BT06"
    slug = "bttackler-unexpected-loss-changes"

    slope: float = threshold(0.01, "smallest rise per epoch", source=CODE)
    fluctuation: float = threshold(0.2, "largest sound deviation over the mean", source=CODE)

    def examine(self, window: Window) -> Finding | None:
        losses = window.derive(train_losses)[-self.length() :]
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            slope = slope_of(losses)
            fluctuation = float(losses.std() / losses.mean())
        if not (slope >= self.slope and fluctuation > self.fluctuation):
            return None
        return self.finding(
            window,
            f"The training loss rises by {slope:.3g} per epoch and varies by {fluctuation:.0%}.",
            confidence=1.0,
            slope=slope,
            threshold=self.slope,
            fluctuation=fluctuation,
            fluctuation_threshold=self.fluctuation,
        )


@dataclass(frozen=True, slots=True)
class NoMoreGain(LateLossRule):
    """The best training loss lies some time back: more epochs are not worth it. Benign.

    ## What it looks for
    In the late stage: the smallest training loss of the last `share` of the planned epochs is
    larger than the smallest of the whole run. Known fault: one lucky epoch before the window is
    enough, since neither the noise nor the size of the difference counts.

    ## Why is this bad?
    It is not: the trial has converged and stays a candidate, the rest of its time is wasted.

    ## Example
    ```python
    for epoch in range(1000): ...
    ```

    ## Use instead
    ```python
    if epochs_without_gain > patience: break
    ```

    ## References
    - Pei et al., 2024, BTTackler, KDD, section 3.2, NMG.
    """

    code = "BT07"
    slug = "bttackler-no-more-gain"

    def examine(self, window: Window) -> Finding | None:
        losses = window.derive(train_losses)
        latest, best = float(losses[-self.length() :].min()), float(losses.min())
        if latest <= best:
            return None
        return self.finding(
            window,
            f"The best training loss of the last {self.length()} epochs is {latest:.4g}, above "
            f"{best:.4g} before.",
            severity=Severity.INFO,
            confidence=1.0,
            latest=latest,
            threshold=best,
            length=self.length(),
        )
