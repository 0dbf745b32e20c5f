"""L001: the loss swings up and down."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from paramedic.diagnose.curve import curve
from paramedic.diagnose.detector import Detector, threshold
from paramedic.diagnose.rows import middle, middles, scalars
from paramedic.types import Finding, Kind, Severity, Window

_DEEPER = frozenset({"exploding-gradient", "dying-relu"})
# What batches of one class, or steps that overshoot, bring about besides.
_OF_CAUSE = frozenset(
    {"learning-rate-too-high", "loss-explosion", "saturated-activation", "gradient-instability",
     "poor-initialization", "vanishing-gradient"}
)  # fmt: skip
_MOST = 16  # values of a piece that are read
_PIECES = 64  # of the last three quarters of the run
_JUMPS = 1000  # pairs of neighbours that the noise is taken from


@dataclass(frozen=True, slots=True)
class OscillatingLoss(Detector):
    """The loss swings up and down by far more than its noise.

    ## What it looks for
    Several turns of the smoothed loss, each of them a good share of the initial loss and many
    times the noise of the smoothed values. Noise from batch to batch is no oscillation, and a run
    that has learned nearly everything may be restless.

    ## Why is this bad?
    Something undoes what was just learned: batches of one class after the other, a momentum that
    overshoots, a learning rate that jumps. The run gets nowhere, or gets somewhere by luck.

    ## Example
    ```python
    DataLoader(sorted_by_class, shuffle=False)
    ```

    ## Use instead
    ```python
    DataLoader(samples, shuffle=True)
    ```

    ## References
    - AUTOTRAINER, problem OL: local maxima and minima of the accuracy 0.03 apart.
    - BTTackler, ULC.
    """

    code = "L001"
    slug = "oscillating-loss"
    kind = Kind.SYMPTOM
    explains = frozenset(
        {"loss-plateau", "slow-convergence", "no-more-gain", "dying-relu",
         "uninformative-labels", "overfitting", "exploding-gradient"}
    )  # fmt: skip

    lasting = True

    swing: float = threshold(
        0.25, "size of a swing, as a share of the initial loss", source="tuning half of the zoo"
    )
    swing_explained: float = threshold(
        0.1, "the same, if a cause is in sight", source="tuning half of the zoo"
    )
    turns: int = threshold(3, "turns that make an oscillation", source="tuning half of the zoo")
    turns_unexplained: int = threshold(5, "the same, if no cause is in sight", source="as above")
    certain: float = threshold(5.0, "size of a swing in standard errors", source="five sigma")
    certain_rate: float = threshold(
        4.0, "the same, if the rate swings", source="tuning half: 3.6 woke no healthy run"
    )
    learned: float = threshold(
        0.7, "share of the loss that is gone, above which unrest is forgiven", source="as above"
    )
    learned_explained: float = threshold(
        0.85, "the same, if a cause is in sight", source="as above"
    )
    sorted: float = threshold(
        0.4, "share of batches of one class that tells of sorted data", source="tuning half"
    )
    rate: float = threshold(
        1.6, "size of a swing of the learning rate, as a logarithm", source="a factor of five"
    )
    momentum: float = threshold(0.98, "momentum that overshoots", source="0.9 is usual")
    steps: int = threshold(60, "steps before it is judged", source="the first steps are wild")

    def missing(self, window: Window) -> str | None:
        loss = window.derive(curve)
        if loss is None or loss.steps < self.steps:
            return f"too few steps: {0 if loss is None else loss.steps} of {self.steps}"
        return None

    def examine(self, window: Window) -> Finding | None:
        loss = window.derive(curve)
        assert loss is not None
        # The last level alone may be the bottom of a swing.
        level = middle(loss.levels[-4:])
        settled = (loss.start - level) / loss.scale
        if loss.first < loss.chance:  # it was learned in a run before this one
            settled = max(settled, 1 - level / loss.chance)
        if self._is_sorted(window) and loss.skill < self.learned:
            return self._sorted(window)
        cause, confidence, certain = self._cause(window)
        if settled > (self.learned_explained if cause else self.learned):
            return None
        pieces, error = _pieces(window, wary=not cause)
        swing = self.swing_explained if cause else self.swing
        size = max(swing * loss.scale, certain * error)
        turns = turning_points(pieces, size)
        if turns < (self.turns if cause else self.turns_unexplained):
            return None
        return self.finding(
            window,
            f"The smoothed loss turned {turns} times by more than {size:.3g} (now "
            f"{loss.last:.4g}): {cause or 'something undoes what was learned'}.",
            severity=Severity.CRITICAL if cause else Severity.WARNING,
            confidence=confidence,
            # Without a cause in sight it is a symptom, and rather comes from these.
            explains=self.explains | _OF_CAUSE if cause else self.explains - _DEEPER,
            turns=turns,
            threshold=self.turns,
            swing=size,
            learned=loss.learned,
        )

    def _cause(self, window: Window) -> tuple[str, float, float]:
        """What is in sight, how sure that makes us, and how large swings must be then."""
        optimizers = window.chart.optimizers
        momentum = max((float(one.get("momentum") or 0) for one in optimizers), default=0.0)
        if momentum >= self.momentum:
            cause = f"a momentum of {momentum:g} carries it past every minimum"
            return cause, 0.92, self.certain
        if self._rate_swings(scalars(window, "lr/0")):
            return "the learning rate itself swings", 0.9, self.certain_rate
        return "", 0.8, self.certain

    def _is_sorted(self, window: Window) -> bool:
        one_class = scalars(window, "target_constant")
        entropy = scalars(window, "label_entropy", 1)
        sizes = scalars(window, "batch_size", 1)
        several = len(sizes) and sizes[0] >= 4 and len(entropy) and entropy[0] > 0.5
        return bool(several and len(one_class) and (one_class > 0).mean() > self.sorted)

    def _sorted(self, window: Window) -> Finding:
        share = float((scalars(window, "target_constant") > 0).mean())
        return self.finding(
            window,
            f"{share:.0%} of the batches hold one class only: each undoes what was learned of the "
            "other classes, and the loss of such batches says little. Shuffle the samples.",
            severity=Severity.CRITICAL,
            confidence=0.95,
            explains=self.explains | _OF_CAUSE,
            one_class_batches=share,
            threshold=self.sorted,
            first_step=0,  # the order of the samples was there before anything else
        )

    def _rate_swings(self, rates: NDArray[np.float64]) -> bool:
        if not len(rates) or rates.min() <= 0:
            return False
        if rates.max() < rates.min() * np.exp(self.rate):
            return False
        return turning_points(np.log(rates), self.rate) > 1


def _pieces(window: Window, *, wary: bool) -> tuple[NDArray[np.float64], float]:
    """The loss after the first quarter of the run, smoothed, and the error of its values."""
    losses = window.pulse.loss[np.isfinite(window.pulse.loss)]
    losses = losses[len(losses) // 4 :]
    size = max(len(losses) // _PIECES, 1)
    table = losses[: len(losses) // size * size].reshape(-1, size)
    table = table[:, :: max(size // _MOST, 1)]
    size = table.shape[1]
    pieces = middles(table.T)
    stride = max(len(losses) // _JUMPS, 1)
    jumps = np.abs(losses[1::stride] - losses[:-1:stride])
    half, most = len(jumps) // 2, int(0.9 * len(jumps))
    jumps.partition((half, most))
    usual, large = jumps[half] / 0.954, jumps[most] / 2.326
    # With no cause in sight, noise with heavy tails must not look like calm with swings.
    noise = max(usual, large) if wary else usual
    return pieces, 1.25 * float(noise) / size**0.5


def turning_points(values: NDArray[np.float64], size: float) -> int:
    """How often a series turns round by more than `size`."""
    if values.max() - values.min() <= size:
        return 0
    turns, direction = 0, 0
    low = high = float(values[0])
    for value in values.tolist():
        high, low = max(high, value), min(low, value)
        if direction >= 0 and high - value > size:
            turns += direction > 0
            direction, low = -1, value
        elif direction <= 0 and value - low > size:
            turns += direction < 0
            direction, high = 1, value
    return turns
