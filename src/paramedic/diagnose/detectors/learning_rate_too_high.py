"""O001: steps so large that they destroy what was there."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from paramedic.diagnose.curve import Curve, curve
from paramedic.diagnose.detector import Detector, threshold
from paramedic.diagnose.motion import elasticities, elasticity, moves, moves_seen, weight_growth
from paramedic.diagnose.rows import bold, learners, middle, middles
from paramedic.types import Finding, Severity, Window


@dataclass(frozen=True, slots=True)
class LearningRateTooHigh(Detector):
    """A step moves the weights by as much as they are large, and the loss suffers.

    ## What it looks for
    Updates of the typical layer that are large against its weights, together with a loss that is
    not better than at the start. Either alone is no finding: small new layers move fast at first,
    and a loss can be stuck for many reasons. A rate that leaps far above all before it, and above
    what the optimizer was made with, is found as soon as the losses since then are higher. Where
    the first losses already leave the finite numbers, the steps before that tell.

    ## Why is this bad?
    A gradient says where the loss falls nearby. A step that replaces the weights goes where it
    says nothing: the loss jumps, units die or saturate, and what was learned is gone.

    ## Example
    ```python
    optimizer = torch.optim.Adam(model.parameters(), lr=0.5)
    ```

    ## Use instead
    ```python
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    ```
    Updates of about a thousandth of the weights are usual.

    ## References
    - Karpathy, "A recipe for training neural networks", 2019: update ratios near 1e-3.
    - AUTOTRAINER, problem OL, sees its oscillation only.
    """

    code = "O001"
    slug = "learning-rate-too-high"
    needs = frozenset({"update_ratio"})
    explains = frozenset(
        {"oscillating-loss", "loss-explosion", "dying-relu", "saturated-activation", "non-finite",
         "gradient-instability", "exploding-gradient", "loss-plateau", "slow-convergence",
         "vanishing-gradient", "uninformative-labels", "no-more-gain", "untrained-parameters",
         "learning-rate-too-low", "too-few-steps", "overfitting"}
    )  # fmt: skip
    excludes = frozenset({"learning-rate-too-low"})
    lasting = True

    ratio: float = threshold(
        0.45, "update of the typical layer against its weights", source="tuning half of the zoo"
    )
    replaced: float = threshold(
        0.9, "the same, above which the weights were replaced", source="tuning half of the zoo"
    )
    learned: float = threshold(
        0.5, "share of the loss that is gone, above which even that is borne", source="as above"
    )
    early: int = threshold(
        20, "first steps in which one such update is enough", source="later ones are wild batches"
    )
    steady: float = threshold(
        0.2, "the same, if it is so in most frames", source="tuning half of the zoo"
    )
    rate_jump: float = threshold(
        5.0, "times the lowest rate of the window that makes a jump", source="warm-up ends before"
    )
    violent: float = threshold(
        100.0, "gradient times weights over loss that blames the gradient", source="as above"
    )
    growth: float = threshold(
        5.0, "growth of the weights that blames the steps all the same", source="as above"
    )
    swelling: float = threshold(
        0.1, "update that blows the weights up if it goes on", source="tuning half of the zoo"
    )
    jump: float = threshold(
        2.0, "largest loss against the start: large steps must have hurt", source="as above"
    )
    worse: float = threshold(
        0.05, "share of the loss that must be gone for the run to be learning", source="as above"
    )

    bold_steps: int = threshold(
        60, "steps before LBFGS is judged: it leaps, and comes back", source="as above"
    )
    leap: float = threshold(
        8.0, "a rate against that of the frame before", source="no schedule of the zoo does this"
    )
    above: float = threshold(
        3.0, "the same against the highest before, and the first", source="as treatment has it"
    )
    inputs: float = threshold(
        100.0, "largest input above which the data may drive the first steps", source="zoo"
    )

    def missing(self, window: Window) -> str | None:
        loss = window.derive(curve)
        if loss is None and self._burst(window) is not None:
            return None
        if loss is None or (loss.steps < self.bold_steps and bold(window)):
            return "too few losses were seen"
        # Most often the newest frames are enough.
        enough = any(moves_seen(window, most) >= _FEWEST for most in (_FEWEST, len(window)))
        return None if enough else "too few steps were looked at"

    def examine(self, window: Window) -> Finding | None:
        leapt = self._leap(window)
        if leapt is not None:
            return leapt
        loss = window.derive(curve)
        if loss is None:
            return self._burst(window)
        begun = self._surpassed(window, loss)
        if loss.learned > self.learned and begun is None:
            return None
        peak, usual = self._peak(window), middle(window.of_frames(moves))
        if peak < self.ratio and usual < self.steady and not self._swell(window, loss):
            return None
        replaced = peak > self.replaced
        if loss.learned > (self.learned if replaced else self.worse) and begun is None:
            return None
        if loss.falling and loss.learned > 0 and not replaced and begun is None:
            return None
        jumped = max(loss.largest, loss.first) > self.jump * abs(loss.start) or begun is not None
        if not jumped and weight_growth(window) < self.growth:
            return None
        if self._is_driven(window):
            return None
        reached = max(peak, usual)
        start = loss.start if begun is None else begun
        return self.finding(
            window,
            f"A step moved the typical layer by {reached:.2g} times the size of its weights, and "
            f"the loss is not better than at the start ({start:.4g}, now {loss.last:.4g}). "
            "Lower the learning rate.",
            severity=Severity.CRITICAL,
            confidence=0.9,
            update_ratio=peak,
            threshold=self.ratio,
            usual_update_ratio=usual,
            usual_update_ratio_threshold=self.steady,
            learned=loss.learned,
        )

    def _surpassed(self, window: Window, loss: Curve) -> float | None:
        """The loss before the first step, if that of now is far above it. Steps that blow the loss
        up at once raise the level of the first few, against which it may then seem to fall."""
        pulse = window.pulse
        if pulse.step[0] != 0 or not loss.last > self.growth * abs(pulse.loss[0]):
            return None
        return float(pulse.loss[0])

    def _burst(self, window: Window) -> Finding | None:
        """Steps that left the finite numbers before there were losses enough to judge by."""
        pulse = window.pulse
        lost = pulse.step[~pulse.finite & ~pulse.skipped]
        early = self._early_steps(window)
        large = np.flatnonzero(early > self.replaced)
        if not len(lost) or not len(large) or window.steps[large[0]] >= lost[0]:
            return None
        # Along an exploding gradient even a small rate gives such a step, and of huge inputs too.
        largest = np.abs([window.scalar("input_min"), window.scalar("input_max")])
        if np.nanmax(largest, initial=0.0) > self.inputs:
            return None
        if not window.of_frames(elasticities)[large[0]] < self.violent:
            return None
        first = int(window.steps[large[0]])
        return self.finding(
            window,
            f"Step {first} moved the typical layer by {early[large[0]]:.2g} times the size of its "
            f"weights, and from step {lost[0]} on the loss is not finite. Lower the learning rate.",
            severity=Severity.CRITICAL,
            confidence=0.9,
            first_step=first,
            update_ratio=float(early[large[0]]),
            threshold=self.replaced,
        )

    def _is_driven(self, window: Window) -> bool:
        """Whether these are ordinary steps along an exploding gradient. Where the first of the
        large ones followed a gradient in proportion, the steps came before what exploded."""
        violent = middle(window.of_frames(elasticity)) > self.violent
        if not violent or weight_growth(window) >= self.growth:
            return False
        large = np.flatnonzero(self._early_steps(window) >= self.ratio)
        return not len(large) or not window.of_frames(elasticities)[large[0]] < self.violent

    def _swell(self, window: Window, loss: Curve) -> bool:
        """Whether steps of moderate size have blown the weights up, and the loss with them."""
        large = np.fmax.reduce(window.of_frames(moves), initial=0.0) > self.swelling
        worse = loss.largest > self.growth * abs(loss.start)
        return bool(large and worse and weight_growth(window) > 2 * self.growth)

    def _leap(self, window: Window) -> Finding | None:
        """A rate that rose out of all proportion, if the loss has suffered since."""
        rates = window.scalar("lr/0")
        leaps = rates[1:] > self.leap * rates[:-1]
        if not leaps.any():
            return None
        before = np.fmax.accumulate(rates)[:-1]
        first = max((float(one.get("lr") or 0.0) for one in window.chart.optimizers), default=0.0)
        leaps &= rates[1:] > self.above * np.maximum(before, first)
        if not leaps.any() or rates[-1] < self.above * np.maximum(before, first)[leaps][0]:
            return None
        place = int(np.argmax(leaps)) + 1
        step, pulse = int(window.steps[place]), window.pulse
        usual = pulse.loss[pulse.step < step][-_USUAL:]
        since = pulse.loss[pulse.step > step][-_SINCE:]  # the loss of that step was before it
        if len(usual) < _USUAL or len(since) < _FEW or not middle(since) > np.quantile(usual, 0.95):
            return None
        return self.finding(
            window,
            f"The learning rate rose from {rates[place - 1]:.2g} to {rates[place]:.2g} at step "
            f"{step}, and the loss with it ({middle(usual):.4g}, now {middle(since):.4g}). "
            "Lower it again.",
            severity=Severity.CRITICAL,
            confidence=0.9,
            first_step=step,
            rate=float(rates[place]),
            before=float(rates[place - 1]),
            times=float(rates[place] / rates[place - 1]) if rates[place - 1] else math.inf,
            threshold=self.leap,
        )

    def _peak(self, window: Window) -> float:
        """The largest update of the first steps, or of steps at a rate that has jumped."""
        return float(np.fmax.reduce(self._early_steps(window), initial=0.0))

    def _early_steps(self, window: Window) -> NDArray[np.float64]:
        """The update of the typical layer in these steps; NaN in all others."""
        rates = window.scalar("lr/0")
        jumped = rates > self.rate_jump * np.fmin.reduce(rates) if len(rates) else rates > 0
        ratios = window.layer("update_ratio")[:, _begun(window)]
        counted = jumped | (window.steps <= self.early)
        typical = np.full(len(window), np.nan)
        if counted.any():
            typical[counted] = middles(ratios[counted].T)
        return typical


def _begun(window: Window) -> NDArray[np.intp]:
    """The layers that learn, but for those that began at zero, as adapters do: against that any
    step is large."""
    rows = learners(window)
    begun = rows[window.layer("weight_norm")[0, rows] != 0] if len(window) else rows
    return begun if len(begun) else rows


_FEWEST = 3  # frames in which weights were measured
_USUAL, _SINCE, _FEW = 32, 8, 2  # losses before a leap of the rate and since then, and the fewest
