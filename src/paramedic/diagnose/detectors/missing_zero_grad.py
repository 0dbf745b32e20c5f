"""O003: gradients of earlier steps are never cleared."""

from __future__ import annotations

from dataclasses import dataclass

from paramedic.diagnose.detector import Detector, threshold
from paramedic.diagnose.rows import scalars
from paramedic.types import Finding, Kind, Severity, Window


@dataclass(frozen=True, slots=True)
class MissingZeroGrad(Detector):
    """Gradients of earlier steps are added to those of the step at hand.

    ## What it looks for
    A gradient that is still there when the first backward pass of the next step begins, at every
    step that was looked at. Accumulation over several backward passes of one step is not meant:
    there the gradients are gone after the optimizer has stepped.

    ## Why is this bad?
    `backward` adds to `.grad`. Without `zero_grad` the optimizer follows the sum of all gradients
    since the start: the steps grow with every batch and point to where the loss fell long ago.

    ## Example
    ```python
    for x, y in loader:
        loss_fn(model(x), y).backward()
        optimizer.step()
    ```

    ## Use instead
    ```python
    for x, y in loader:
        optimizer.zero_grad()
        loss_fn(model(x), y).backward()
        optimizer.step()
    ```

    ## References
    - PyTorch, "Zeroing out gradients in PyTorch".
    - Training Doctor and AUTOTRAINER see only its consequences.
    """

    code = "O003"
    slug = "missing-zero-grad"
    kind = Kind.FAULT
    needs = frozenset({"grad_carried"})
    explains = frozenset(
        {
            "exploding-gradient", "gradient-instability", "loss-explosion", "oscillating-loss",
            "learning-rate-too-high", "loss-plateau", "non-finite", "slow-convergence",
            "dying-relu", "saturated-activation", "no-more-gain", "overfitting",
        }
    )  # fmt: skip
    patience = 1

    frames: int = threshold(
        5, "frames in a row that must show a carried gradient", source="the first steps are seen"
    )

    def missing(self, window: Window) -> str | None:
        seen = len(scalars(window, "grad_carried"))
        return None if seen > self.frames else f"too few steps were looked at: {seen}"

    def examine(self, window: Window) -> Finding | None:
        carried = scalars(window, "grad_carried", self.frames)
        if not (carried > 0).all():
            return None
        return self.finding(
            window,
            "The gradients are never set to zero: each step also follows all earlier batches. "
            "Call `optimizer.zero_grad()` before `backward`.",
            severity=Severity.CRITICAL,
            confidence=0.99,
            frames_with_old_gradients=len(carried),
            threshold=self.frames,
        )
