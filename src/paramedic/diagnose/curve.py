"""What the loss does, with its noise in mind: the one reading of the curve for all detectors.

A loss is measured batch by batch and jumps. So it is cut into stretches, each with a level (the
median, which one wild batch does not move) and an error of that level, estimated from how much
neighbouring steps differ. A change counts only if it is large against its error.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from paramedic.diagnose.rows import middle, middles
from paramedic.types import Chart, Task, Window

FEWEST = 12  # losses from which a curve can be read
_STRETCHES = 16
_MOST = 64  # values of a stretch that are read
_JUMPS = 1000  # pairs of neighbours that the noise is taken from
_SIGNIFICANT = 3.0  # standard errors
_TINY = 1e-12
_TRIFLE = 0.01  # share of a loss
_EPOCHS = 4  # validation losses that make a trend
_LABELS_EACH = 2  # labels of a class in a batch from which their frequencies can be told
_SHORTEST = 120  # steps of a run whose end says something about where it leads

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Curve:
    """The loss so far (of the last 4096 steps), as levels of equal stretches.

    `scale` is what changes are measured by: the loss that the run began with, or the loss of
    guessing if that is known and lower.
    """

    steps: int  # losses that were read
    levels: Floats
    error: float  # standard error of a level
    noise: float  # standard deviation of one step around the trend
    first: float  # the level of the first few steps
    chance: float  # the loss of guessing by the frequencies of the targets; NaN if not known
    scale: float
    largest: float  # the largest single loss
    skill: float  # how far the accuracy has come from guessing to perfect; 0 if not handed in
    validation: Floats  # the validation losses that were handed in

    @property
    def last(self) -> float:
        """The level now."""
        return float(self.levels[-1])

    @property
    def best(self) -> float:
        """The lowest level so far."""
        return float(self.levels.min())

    @property
    def learned(self) -> float:
        """The share of the initial loss (or of that of guessing) that is gone.

        Where an accuracy was handed in and says more, it counts: near certainty a small gain in
        loss can be a large one in accuracy. And a loss far below guessing was learned, if not in
        this run then in one before it.
        """
        return max(self.gone, self.skill, self.below)

    @property
    def below(self) -> float:
        """How far the loss is below that of guessing, as a share of it; 0 if that is not known."""
        return 1 - self.last / self.chance if self.chance > 0 else 0.0

    @property
    def gone(self) -> float:
        """The same by the loss alone."""
        return (self.start - self.last) / self.scale

    @property
    def start(self) -> float:
        """Where learning starts from: the first level, or guessing where that is lower."""
        return self.first if np.isnan(self.chance) else min(self.first, self.chance)

    def change(self, share: float = 0.5) -> tuple[float, float]:
        """The change over the last `share` of the run, as a share of `scale`, and how many
        standard errors it is worth. Negative is better."""
        count = max(int(len(self.levels) * share), 3)
        levels = self.levels[-count:]
        places, spread = _places(len(levels))
        slope = float((places * levels).sum()) / spread
        residual = levels - levels.mean() - slope * places
        error = max(float(residual.std()), self.error, _TINY * self.scale) / spread**0.5
        return slope * (len(levels) - 1) / self.scale, slope / error

    @cached_property
    def _lately(self) -> tuple[float, float]:
        return self.change()

    @property
    def falling(self) -> bool:
        """Whether the loss still falls, beyond its noise and by more than a trifle."""
        amount, certainty = self._lately
        return certainty < -_SIGNIFICANT and amount < -0.01

    @property
    def rising(self) -> bool:
        """Whether the loss rises beyond its noise."""
        amount, certainty = self._lately
        return certainty > _SIGNIFICANT and amount > 0.02

    @cached_property
    def pace(self) -> float:
        """The share of the loss that the last quarter of the run took away; 0 if that is noise.

        A quarter alone is too short to tell a trend from noise: the last half decides that. The
        validation loss counts if it says more: it is of the same samples each time.
        """
        return max(self._pace_of_training, self.validation_pace)

    @property
    def _pace_of_training(self) -> float:
        if self._lately[1] > -_SIGNIFICANT:
            return 0.0
        amount, _ = self.change(0.25)
        before = abs(float(self.levels[-max(len(self.levels) // 4, 3)]))
        return max(-amount, 0.0) * self.scale / max(before, _TINY)

    @property
    def validation_pace(self) -> float:
        """The same of the validation loss, if it fell in each epoch of the last half and by more
        than a trifle, else 0."""
        seen = self.validation
        if len(seen) < _EPOCHS or (np.diff(seen[len(seen) // 2 - 1 :]) >= 0).any():
            return 0.0
        before = float(seen[-1 - len(seen) // 4])
        pace = (before - float(seen[-1])) / max(abs(before), _TINY)
        return pace if pace > _TRIFLE else 0.0

    @property
    def validation_fall(self) -> float:
        """The share of the first validation loss that is gone, if it fell in each epoch, else 0."""
        seen = self.validation
        if len(seen) < _EPOCHS or (np.diff(seen) >= 0).any():
            return 0.0
        return float(seen[0] - seen[-1]) / max(abs(float(seen[0])), _TINY)

    @cached_property
    def steadiness(self) -> float:
        """How much of the average pace of the run is left in its last quarter: 1 is a straight
        line, 0 a curve that has levelled off."""
        return max(self._steadiness_of_training, self._steadiness_of_validation)

    @property
    def _steadiness_of_training(self) -> float:
        fallen = (self.first - self.last) / self.scale
        if not self._pace_of_training or fallen <= 0:
            return 0.0
        return max(-self.change(0.25)[0], 0.0) * 4 / fallen

    @property
    def _steadiness_of_validation(self) -> float:
        seen = self.validation
        if not self.validation_pace or seen[0] <= seen[-1]:
            return 0.0
        quarter = len(seen) // 4
        pace = float(seen[-1 - quarter] - seen[-1]) / quarter
        return pace * (len(seen) - 1) / float(seen[0] - seen[-1])


@cache
def _places(count: int) -> tuple[Floats, float]:
    """So many places in a row about zero, and the sum of their squares."""
    places = np.arange(count, dtype=np.float64) - (count - 1) / 2
    return places, float((places**2).sum())


def curve(window: Window) -> Curve | None:
    """The curve of a window, or None while there are too few losses. Use `window.derive`."""
    losses = window.pulse.loss[np.isfinite(window.pulse.loss)]
    if len(losses) < FEWEST:
        return None
    stretches = min(_STRETCHES, len(losses) // 3)
    size = len(losses) // stretches
    table = losses[len(losses) - stretches * size :].reshape(stretches, size)
    table = table[:, :: max(size // _MOST, 1)]  # more values hardly tell more, and take their time
    levels = middles(table.T)
    noise = _noise(losses)
    first = middle(losses[: max(3, min(len(losses) // 50, 20))])
    guessing = chance(window)
    start = first if np.isnan(guessing) else min(first, guessing)
    scale = max(abs(start), noise, _TINY)
    error = 1.25 * noise / table.shape[1] ** 0.5  # of a median
    return Curve(
        steps=len(losses),
        levels=levels,
        error=error,
        noise=noise,
        first=first,
        chance=guessing,
        scale=scale,
        largest=float(losses.max()),
        skill=_skill(window),
        validation=_finite(window.series("val_loss")),
    )


def too_early(window: Window, steps: int) -> str | None:
    """Why a slow starter is not judged: only after so many steps, or when the run has ended; and
    a trial of a few steps not at all."""
    loss = window.derive(curve)
    if loss is None:
        return "too few losses were seen"
    if not window.ended and loss.steps < steps:
        return f"judged at the end of a run or after {steps} steps"
    return f"the run is too short: {loss.steps} steps" if loss.steps < _SHORTEST else None


def _finite(values: Floats) -> Floats:
    return values[np.isfinite(values)]


def _noise(losses: Floats) -> float:
    """How much a step differs from the trend, from the differences of neighbours."""
    stride = max(len(losses) // _JUMPS, 1)
    jumps = losses[1::stride] - losses[:-1:stride]
    return middle(np.abs(jumps)) * 1.4826 / 2**0.5


def majority(window: Window) -> float:
    """The share of the most frequent class, as far as the labels tell; NaN if they do not."""
    entropy = _newest(window, "label_entropy")
    return _majority(entropy, window.chart) if np.isfinite(entropy) else float("nan")


def _skill(window: Window) -> float:
    """The accuracy of the last epochs, as a share of the way from guessing to perfect."""
    series = window.series("val_acc")
    if not np.isfinite(series).any():
        series = window.series("train_acc")
    series = series[np.isfinite(series)]
    if len(series) < 2:
        return 0.0
    guessing = majority(window)
    guessing = guessing if np.isfinite(guessing) else 0.5
    if guessing > 0.95:
        return 0.0
    return max((middle(series[-3:]) - guessing) / (1 - guessing), 0.0)


def _majority(entropy: float, chart: Chart) -> float:
    """The largest share that a class can have if the labels have this entropy (Fano)."""
    classes = chart.output_shape[1] if len(chart.output_shape) == 2 else 0
    if classes < 2:
        return float(np.exp(-max(entropy, 0.0)))
    shares = np.linspace(1 / classes, 1.0, 200)[:-1]
    rest = 1 - shares
    entropies = -shares * np.log(shares) - rest * np.log(rest / (classes - 1))
    return float(shares[int(np.abs(entropies - entropy).argmin())])


def chance(window: Window) -> float:
    """The loss of a model that knows nothing but how often each target comes."""
    chart = window.chart
    if not chart.loss_mean:
        return float("nan")
    if chart.loss in ("cross-entropy", "nll"):
        return _entropy(window, chart)
    if chart.loss == "mse":
        return _variance(window)
    return _binary(window, chart)


def _entropy(window: Window, chart: Chart) -> float:
    """The entropy of the labels; NaN where a batch holds too few of them to tell.

    That of a batch is too low, since rare labels are not in it: of words by so much that it must
    be corrected (Miller and Madow, 1955).
    """
    entropy = _newest(window, "label_entropy")
    labels = int(np.prod(chart.target_shape)) if chart.target_shape else 0
    if not labels:
        return entropy
    if chart.task is Task.LANGUAGE_MODEL:
        classes = _newest(window, "target_classes")
        entropy += (classes - 1) / (2 * labels) if classes > 1 else 0.0
    return float("nan") if labels < _LABELS_EACH * np.exp(entropy) else entropy


def _variance(window: Window) -> float:
    """The variance of the targets: within batches, and between them where they are small."""
    means = window.scalar("target_mean")
    between = float(np.nanvar(means)) if np.isfinite(means).any() else 0.0
    return _newest(window, "target_std") ** 2 + between


def _binary(window: Window, chart: Chart) -> float:
    if chart.task is not Task.BINARY or not (chart.loss or "").startswith("binary-cross-entropy"):
        return float("nan")
    means = window.scalar("target_mean")
    means = means[np.isfinite(means)]
    share = float(means.mean()) if len(means) else float("nan")
    if not 0.0 < share < 1.0:
        return float("nan")
    return -share * float(np.log(share)) - (1 - share) * float(np.log(1 - share))


def _newest(window: Window, name: str) -> float:
    values: Any = window.scalar(name)
    known = values[np.isfinite(values)]
    return middle(known)
