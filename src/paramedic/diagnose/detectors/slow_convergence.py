"""L002: learning, but far too slowly."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from paramedic.diagnose.curve import curve, too_early
from paramedic.diagnose.detector import Detector, threshold
from paramedic.diagnose.motion import motion
from paramedic.diagnose.rows import is_narrow
from paramedic.types import Finding, Severity, Task, Window


@dataclass(frozen=True, slots=True)
class SlowConvergence(Detector):
    """The loss falls steadily, but at this pace the run will not get there.

    ## What it looks for
    At the end of a run, or after very many steps: a loss that still falls, beyond its noise and
    without levelling off, but of which hardly anything is gone; or less than half, if each step
    moves the weights by less than a thousandth and the pace is what it was all along.

    ## Why is this bad?
    The time was spent and the net has hardly learned. Unlike at a plateau there is a direction:
    larger steps, momentum, an adaptive optimizer or normalised inputs get there sooner.

    ## Example
    ```python
    optimizer = torch.optim.SGD(model.parameters(), lr=0.001)
    ```

    ## Use instead
    ```python
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    ```

    ## References
    - AUTOTRAINER, problem SC: no epoch gains more than 0.01 accuracy.
    """

    code = "L002"
    slug = "slow-convergence"
    excludes = frozenset({"loss-plateau", "no-more-gain"})
    explains = frozenset({"too-few-steps"})
    patience = 1

    learned: float = threshold(
        0.18, "share of the loss that is gone, above which the pace is enough", source="tuning half"
    )
    learned_language: float = threshold(
        0.1, "the same for language models, whose loss has a high floor", source="tuning half"
    )
    pace: float = threshold(
        0.02, "fall over the last quarter that is none", source="tuning half of the zoo"
    )
    steady: float = threshold(
        0.5, "share of the average pace that is left: any pace counts then", source="as above"
    )
    fast: float = threshold(
        0.1, "fall over the last quarter that is fast: too few steps", source="as above"
    )
    small: float = threshold(
        8e-4, "update-to-weight ratio below which steps are small", source="a usual one is 1e-3"
    )
    learned_small: float = threshold(
        0.4, "share that may be gone if steps are small and the pace does not fade", source="zoo"
    )
    fast_small: float = threshold(
        0.15, "fall over the last quarter that is fast then", source="zoo"
    )
    steps: int = threshold(
        2000, "steps after which a run that has not ended is judged", source="slow starters"
    )

    def missing(self, window: Window) -> str | None:
        if window.of_chart(is_narrow):
            return "a net whose last layer reads a single number is slow by how it was built"
        return too_early(window, self.steps)

    def examine(self, window: Window) -> Finding | None:
        loss = window.derive(curve)
        assert loss is not None
        language = window.chart.task is Task.LANGUAGE_MODEL
        limit = self.learned_language if language else self.learned
        gone = max(loss.gone, loss.below)
        if gone > max(limit, self.learned_small):
            return None
        fast = self.fast
        if loss.steadiness > self.steady and self._creeps(window):
            limit, fast = self.learned_small, self.fast_small
        if gone > limit or not 0 < loss.pace <= fast:
            return None
        if loss.pace <= self.pace and loss.steadiness <= self.steady:
            return None
        return self.finding(
            window,
            f"After {loss.steps} steps only {max(loss.gone, 0):.0%} of the loss is gone (now "
            f"{loss.last:.4g}), though it falls steadily: the steps are too small or badly aimed.",
            # A loss that guessing cannot be compared with may have been low from the start.
            severity=Severity.INFO if np.isnan(loss.chance) else Severity.WARNING,
            confidence=0.75,
            gone=loss.gone,
            threshold=limit,
            pace=loss.pace,
        )

    def _creeps(self, window: Window) -> bool:
        """Whether every step is small: then what is gone tells less than that it goes on."""
        move = window.of_frames(motion)
        return move is not None and 0 < move.middle < self.small and not move.rate_rises
