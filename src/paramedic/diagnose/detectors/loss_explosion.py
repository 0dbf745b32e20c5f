"""L004: the loss runs away."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from paramedic.diagnose.curve import Curve, curve
from paramedic.diagnose.detector import Detector, threshold
from paramedic.diagnose.rows import bold, middle
from paramedic.types import Finding, Kind, Severity, Window


@dataclass(frozen=True, slots=True)
class LossExplosion(Detector):
    """The loss has grown to many times what it was.

    ## What it looks for
    A level of the loss, not a single batch, that is several times that of the start (or of
    guessing) and that does not come back down. A loss that began about zero, as that of a
    policy, is held against what it reached in the first half of the run.

    ## Why is this bad?
    The run goes away from every solution. Mostly the learning rate is too high, a sign is wrong,
    or gradients explode; where one of these is seen it is named as the cause.

    ## Example
    ```python
    loss = -F.cross_entropy(model(x), y)        # the sign: the worse the better
    ```

    ## Use instead
    ```python
    loss = F.cross_entropy(model(x), y)
    ```

    ## References
    - Training Doctor: `L > 10 or L > 2 * L_prev`, which fires some thirty times in
      600 healthy steps; a level against its noise does not.
    """

    code = "L004"
    slug = "loss-explosion"
    kind = Kind.SYMPTOM
    explains = frozenset(
        {"oscillating-loss", "loss-plateau", "non-finite",
         "saturated-activation", "dying-relu", "slow-convergence", "no-more-gain",
         "vanishing-gradient", "untrained-parameters"}
    )  # fmt: skip

    factor: float = threshold(
        5.0, "level against the lowest so far", source="tuning half of the zoo"
    )
    above: float = threshold(
        2.0, "level against that of the start", source="a good run may bounce far below its start"
    )
    certain: float = threshold(5.0, "rise in standard errors of a level", source="five sigma")

    bold_steps: int = threshold(
        60, "steps before LBFGS is judged: it leaps, and comes back", source="as above"
    )

    def missing(self, window: Window) -> str | None:
        loss = window.derive(curve)
        if loss is None or (loss.steps < self.bold_steps and bold(window)):
            return "too few losses were seen"
        return None

    def examine(self, window: Window) -> Finding | None:
        loss = window.derive(curve)
        assert loss is not None
        now, lowest = middle(loss.levels[-2:]), min(loss.best, loss.start)
        grown = now / max(_size(loss, lowest), 1e-12)
        certain = now - lowest > self.certain * loss.error
        if now < self.above * abs(_first(window)):  # it began high, and may be on its way down
            return None
        if grown < self.factor or now < self.above * loss.start or not certain:
            return None
        return self.finding(
            window,
            f"The loss has grown from {lowest:.4g} to {now:.4g} and does not come back.",
            severity=Severity.CRITICAL,
            confidence=0.85,
            level=now,
            before=lowest,
            factor=grown,
            threshold=self.factor,
        )


def _size(loss: Curve, lowest: float) -> float:
    """What the level is held against. A loss that began about zero, as that of a policy does,
    is many times its start by nature: what it reached in the first half of the run counts."""
    if loss.start > loss.noise:
        return abs(lowest)
    return float(np.abs(loss.levels[: len(loss.levels) // 2]).max())


def _first(window: Window) -> float:
    losses = window.pulse.loss
    return float(losses[np.isfinite(losses)][0])
