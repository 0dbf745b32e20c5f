"""L003: the loss has come to rest where it should not."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from paramedic.diagnose.curve import Curve, curve, too_early
from paramedic.diagnose.detector import Detector, threshold
from paramedic.diagnose.rows import is_narrow, is_straight, learners
from paramedic.types import Finding, Kind, Severity, Task, Window


@dataclass(frozen=True, slots=True)
class LossPlateau(Detector):
    """The loss has come to rest although hardly anything was learned.

    ## What it looks for
    At the end of a run, or after very many steps: a loss that has lost only a small share of its
    initial value (or of that of guessing) and gained next to nothing in the last half. Runs that
    start slowly are given time; runs that have learned may rest.

    ## Why is this bad?
    More of the same will not help. Where a cause is seen (dead units, vanishing gradients, useless
    labels, a rate too low) that is named instead; if none is, the net may be too small for the
    task. Where its last layer reads a single number it is, and that is told as the cause.

    ## Example
    ```python
    model = nn.Linear(2, 2)             # two rings inside each other: no line parts them
    ```

    ## Use instead
    ```python
    model = nn.Sequential(nn.Linear(2, 32), nn.ReLU(), nn.Linear(32, 2))
    ```

    ## References
    - Training Doctor: variance of 20 losses below 1e-4, which every converged run has.
    - BTTackler, PLC.
    """

    code = "L003"
    slug = "loss-plateau"
    kind = Kind.SYMPTOM
    explains = frozenset({"no-more-gain"})
    patience = 1

    learned: float = threshold(
        0.25, "share of the loss that is gone, above which rest is earned", source="tuning half"
    )
    learned_language: float = threshold(
        0.1, "the same for language models, whose loss has a high floor", source="tuning half"
    )
    learned_single: float = threshold(
        0.85, "the same for a linear model, which may be too simple: a note", source="tuning half"
    )
    nothing_language: float = threshold(
        0.03, "the same, above which it is a note only", source="tuning half; 0.06 was healthy"
    )
    pace: float = threshold(
        0.02, "fall over the last quarter that is none", source="tuning half of the zoo"
    )
    pace_levelled: float = threshold(
        0.04, "the same, if the curve has levelled off", source="tuning half of the zoo"
    )
    pace_narrow: float = threshold(
        0.05, "the same, if the last layer reads a single number", source="tuning half: 0.033"
    )
    levelled: float = threshold(
        0.35, "share of the average pace that is left then", source="tuning half of the zoo"
    )
    steady: float = threshold(
        0.5, "share of the average pace that makes it slow convergence", source="as there"
    )
    steps: int = threshold(
        2000, "steps after which a run that has not ended is judged", source="slow starters"
    )

    def missing(self, window: Window) -> str | None:
        return too_early(window, self.steps)

    def _limit(self, window: Window) -> float:
        if window.chart.task is Task.LANGUAGE_MODEL:
            return self.learned_language
        return self.learned_single if window.of_chart(is_straight) else self.learned

    def examine(self, window: Window) -> Finding | None:
        loss = window.derive(curve)
        assert loss is not None
        language = window.chart.task is Task.LANGUAGE_MODEL
        limit = self._limit(window)
        if loss.learned > limit or loss.rising:
            return None
        levelled = loss.pace < self.pace_levelled and loss.steadiness < self.levelled
        rests = loss.pace < self.pace and loss.steadiness < self.steady
        narrow = window.of_chart(is_narrow)
        if not (rests or levelled or (narrow and loss.pace < self.pace_narrow)):
            return None
        # A loss that guessing cannot be compared with may have been low from the start.
        doubtful = np.isnan(loss.chance) or (language and loss.learned > self.nothing_language)
        # And a linear model may have learned all that a straight line can.
        doubtful = doubtful or loss.learned > self.learned
        # What goes on in every epoch, however little it is, is no rest for certain.
        doubtful = doubtful or (loss.validation_fall > self.pace and not narrow)
        return self.finding(
            window,
            f"The loss rests at {loss.last:.4g}: only {max(loss.learned, 0):.0%} of what it began "
            "with (or of guessing) is gone, and the last half of the run gained next to nothing."
            + _too_simple(window),
            severity=Severity.INFO if doubtful else Severity.WARNING,
            confidence=0.7,
            learned=loss.learned,
            threshold=limit,
            pace=loss.pace,
            explains=self.explains | _OF_NARROW_NETS if narrow else self.explains,
            first_step=0 if narrow else _began(window, loss),
            by_construction=narrow,
        )


# What a net shows that is too narrow, and was so from the start.
_OF_NARROW_NETS = frozenset({"vanishing-gradient", "uninformative-labels", "saturated-activation"})


def _too_simple(window: Window) -> str:
    """What a net is told that cannot do better, by how it was built."""
    if window.of_chart(is_narrow):
        return " All that its last layer reads is a single number: make the layers before it wider."
    if len(learners(window)) < 2 or not window.of_chart(is_straight):
        return ""
    return (
        " No activation function stands between its layers, so that all of them together are one "
        "linear layer: put one after each but the last."
    )


def _began(window: Window, loss: Curve) -> int:
    """The step from which on the loss was where it is now."""
    reached = int(np.argmax(loss.levels <= loss.last + 2 * loss.error))
    return int(window.pulse.step[reached * len(window.pulse) // len(loss.levels)])
