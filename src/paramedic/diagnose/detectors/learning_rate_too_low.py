"""O002: steps so small that nothing changes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from paramedic.diagnose.curve import curve
from paramedic.diagnose.detector import Detector, threshold
from paramedic.diagnose.motion import is_seen_moving, motion, moves
from paramedic.types import Finding, Window


@dataclass(frozen=True, slots=True)
class LearningRateTooLow(Detector):
    """The weights hardly move, and neither does the loss.

    ## What it looks for
    Updates that are tiny against the weights in *every* frame so far, together with a loss that
    has hardly fallen. A rate that is still rising (warm-up) is waited for; a run that has learned
    may end with small steps.

    ## Why is this bad?
    At a millionth of its size per step a weight needs a million steps to change. The run looks
    alive and will not get anywhere.

    ## Example
    ```python
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-6)
    ```

    ## Use instead
    ```python
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-2)
    ```

    ## References
    - AUTOTRAINER, problem SC: accuracy gains below 0.01 per epoch.
    - Karpathy, "A recipe for training neural networks", 2019: update ratios near 1e-3.
    """

    code = "O002"
    slug = "learning-rate-too-low"
    needs = frozenset({"update_ratio"})
    explains = frozenset(
        {"slow-convergence", "loss-plateau", "uninformative-labels", "no-more-gain"}
    )
    excludes = frozenset({"learning-rate-too-high"})

    ratio: float = threshold(
        3e-5, "update of the typical layer against its weights", source="tuning half of the zoo"
    )
    learned: float = threshold(
        0.1, "share of the loss that is gone, above which the rate is enough", source="as above"
    )
    steps: int = threshold(20, "steps before it is judged", source="a start may be slow")

    def missing(self, window: Window) -> str | None:
        loss = window.derive(curve)
        if loss is None or loss.steps < self.steps:
            return "too few losses were seen"
        return None if window.of_frames(is_seen_moving) else "weights were not measured"

    def examine(self, window: Window) -> Finding | None:
        loss = window.derive(curve)
        assert loss is not None
        # Not by the accuracy: the one that a net begins with may be above that of guessing.
        learned = max(loss.gone, loss.below)
        if learned > self.learned:
            return None
        fastest = float(np.max(window.of_frames(moves)))
        if fastest >= self.ratio:
            return None
        move = window.of_frames(motion)
        assert move is not None
        if move.rate_rises or move.blocked:
            return None
        return self.finding(
            window,
            f"A step moves the typical layer by {move.middle:.1g} of its size and never by more "
            f"than {fastest:.1g}; the loss has gone from {loss.start:.4g} to {loss.last:.4g} in "
            f"{loss.steps} steps. Raise the learning rate.",
            confidence=0.9,
            update_ratio=move.middle,
            largest=fastest,
            threshold=self.ratio,
            learned=learned,
        )
