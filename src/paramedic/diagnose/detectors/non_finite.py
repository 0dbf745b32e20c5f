"""N001: NaN or infinity, with its origin."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from paramedic.diagnose.detector import Detector, threshold
from paramedic.types import Event, Finding, Kind, Severity, Window


@dataclass(frozen=True, slots=True)
class NonFinite(Detector):
    """The loss, a gradient or a weight is NaN or infinite.

    ## What it looks for
    A loss that is not finite at any step, and gradients or weights that are not finite at a step
    that was looked at. A step that a `GradScaler` skipped does not count: finding infinities and
    skipping them is its work. Where the value was born is traced when it happens.

    ## Why is this bad?
    One NaN in the gradient makes every weight NaN at the next step, and nothing brings them back.
    The run may go on for days and learns nothing more.

    ## Example
    ```python
    loss = -(target * torch.log(prediction)).sum()     # log(0) is -inf, 0 * -inf is NaN
    ```

    ## Use instead
    ```python
    loss = F.cross_entropy(logits, target)             # stable: works on logits
    ```
    Or add a small number where it was born: `torch.log(prediction + 1e-8)`.

    ## References
    - Public issue trackers ask for the *first* origin: module, operation, batch.
    - AUTOTRAINER counts NaN gradients as exploding; BTTackler as AGV.
    """

    code = "N001"
    slug = "non-finite"
    kind = Kind.SYMPTOM
    explains = frozenset(
        {"loss-plateau", "slow-convergence", "learning-rate-too-low", "gradient-instability",
         "no-more-gain", "untrained-parameters", "dying-relu", "saturated-activation",
         "vanishing-gradient", "overfitting", "loss-explosion", "oscillating-loss",
         "uninformative-labels", "dead-input", "exploding-gradient", "improper-loss"}
    )  # fmt: skip
    patience = 1
    lasting = True

    steps: int = threshold(1, "steps with a non-finite value", source="one is enough")

    def missing(self, window: Window) -> str | None:
        return None if len(window.pulse) else "no step was seen"

    def examine(self, window: Window) -> Finding | None:
        pulse = window.pulse
        bad = np.flatnonzero(~pulse.finite & ~pulse.skipped)
        looked = self._bad_frames(window)
        if len(bad) + len(looked) < self.steps:
            return None
        events = [event for event in window.events if event.kind == "non-finite"]
        first = min([*pulse.step[bad[:1]].tolist(), *looked[:1], *(e.step for e in events)])
        where = str(events[0].data.get("where", "")) if events else ""
        return self.finding(
            window,
            _sentence(events, first),
            severity=Severity.CRITICAL,
            confidence=0.99,
            where=(where,) if where else (),
            first_step=first,
            steps=len(bad) + len(looked),
            threshold=self.steps,
            origin=str(events[0].data.get("kind", "")) if events else "unknown",
        )

    def _bad_frames(self, window: Window) -> list[int]:
        skipped = window.scalar("skipped") > 0
        bad = (window.scalar("grad_finite") == 0) | (window.scalar("weight_finite") == 0)
        return [int(step) for step in window.steps[bad & ~skipped]]


def _sentence(events: list[Event], first: int) -> str:
    if events:
        return events[0].message
    return f"Step {first}: the loss, a gradient or a weight was not finite."
