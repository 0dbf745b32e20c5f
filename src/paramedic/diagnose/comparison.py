"""What a verdict compares: the loss at first and at the end, and that of a constant answer."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from paramedic.diagnose.curve import chance
from paramedic.types import Window

Floats = NDArray[np.float64]

TINY = 1e-12
SIGNIFICANT = 4.0  # standard errors that a change must be worth
EFFECT = 0.02  # fraction of the baseline that a loss must fall by
CLEAR = 0.2  # fraction below the constant answer that needs no fall: it was learned before
_LAST = 0.2  # fraction of the run that its end is judged by
_LATE = 0.4  # fraction of the run at whose looks batches and parts of the loss are judged
_FEWEST_FITS = 3  # of these looks
_FEWEST_BATCHES = 8  # of these looks that batches are compared at one by one
_SEEMS = 0.1  # fraction of the baseline that seems to be gone, certain or not
_UNEVEN = 2.0  # mean of their constant answers over the typical one: outliers make the mean


@dataclass(frozen=True, slots=True)
class Level:
    """A mean with its standard error."""

    value: float
    error: float

    def below(self, other: Level) -> float:
        """How many standard errors this is below another."""
        error = math.hypot(self.error, other.error)
        return (other.value - self.value) / max(error, TINY * max(abs(other.value), 1.0))


@dataclass(frozen=True, slots=True)
class Batches:
    """The losses of late batches, each as a fraction of that of the best constant answer to its
    own targets: batches with an outlier are not held against those without."""

    typical: Level
    together: float  # of the sums, in which outliers weigh most
    uneven: bool  # outliers make the mean of the constant answers, so that it is no baseline


@dataclass(frozen=True, slots=True)
class Facts:
    """What the tests compare: start, end and scale of the loss, and the constant answer."""

    steps: int
    start: Level
    quarter: Level  # of the first quarter of the run
    end: Level
    constant: float  # loss of the best constant answer; NaN if it is not known
    scale: float
    fit: Level | None = None  # of the part of the loss that compares predictions with targets
    fit_constant: float = math.nan  # that part for the best constant answer
    batches: Batches | None = None

    @property
    def numbers(self) -> dict[str, float]:
        """For the report."""
        found = {"first loss": self.start.value, "loss at the end": self.end.value}
        if math.isfinite(self.constant):
            found["loss of the best constant answer"] = self.constant
        if self.fit is not None:
            found["part of the loss that compares with targets"] = self.fit.value
            found["that part for the best constant answer"] = self.fit_constant
        if self.batches is not None:
            found["fraction of the constant answer's in a typical batch"] = (
                self.batches.typical.value
            )
        return {**found, "steps": float(self.steps)}

    @property
    def baseline(self) -> Level:
        """The first losses or the constant answer, whichever is harder to beat."""
        if math.isfinite(self.constant) and self.constant < self.start.value:
            return Level(self.constant, 0.0)
        return self.start

    @property
    def size(self) -> float:
        """What a rise is measured by: the first loss, or the scale if that is larger."""
        return max(abs(self.start.value), self.scale)

    @property
    def plausible(self) -> float:
        """The fraction that may be gone at most, for all that noise hides: since the baseline, or
        since the first quarter, whose level is known better than that of the first steps, if the
        loss does not seem to have fallen before."""
        seems = self.gone > _SEEMS
        return min(
            (since.value - self.end.value + 2 * math.hypot(since.error, self.end.error))
            for since in ((self.baseline,) if seems else (self.baseline, self.quarter))
        ) / self.scale  # fmt: skip

    @property
    def gone(self) -> float:
        """The fraction of the baseline that is gone."""
        return (self.baseline.value - self.end.value) / self.scale

    @property
    def has_fallen(self) -> bool:
        """Whether the end is below the baseline, beyond noise and by enough to matter."""
        return self.end.below(self.baseline) > SIGNIFICANT and self.gone > EFFECT

    @property
    def below_constant(self) -> float:
        """How far the end is below the constant answer, as a fraction of it; 0 if not known."""
        if self.batches is not None and self.batches.uneven:
            return 1 - self.batches.typical.value
        if not (math.isfinite(self.constant) and self.constant > 0):
            return 0.0
        return 1 - self.end.value / self.constant


def compare(window: Window) -> Facts | None:
    """None while there are too few losses to compare anything."""
    levels = known(window.losses.levels)
    first = known(window.losses.first)
    if len(levels) < 6 or len(first) < 3:
        return None
    steps = window.losses.steps
    start = _start(first, steps)
    noise = _noise(levels)
    per_step = _noise(first) if window.losses.width > 1 else noise
    count = max(int(len(levels) * _LAST), 3)
    constant = _constant(window)
    base = float(np.median(start))
    scale = abs(min(base, constant) if math.isfinite(constant) else base)
    return Facts(
        steps=steps,
        start=Level(base, 1.25 * per_step / math.sqrt(len(start))),
        quarter=_level(levels[: max(len(levels) // 4, 3)], noise),
        end=_level(levels[-count:], noise),
        constant=constant,
        scale=max(scale, noise, TINY),
        batches=_batches(window),
        **_fit(window),
    )


def _level(levels: Floats, noise: float) -> Level:
    error = 1.25 * max(noise, scatter(levels)) / math.sqrt(len(levels))
    return Level(float(np.median(levels)), error)


def _fit(window: Window) -> dict[str, Any]:
    """The part of a composed loss that compares predictions with targets, at the end."""
    if window.chart.loss_mean:
        return {}
    loss, constant = window.scalar("fit_loss"), window.scalar("fit_constant")
    seen = np.isfinite(loss) & np.isfinite(constant) & _late(window)
    if seen.sum() < _FEWEST_FITS:
        return {}
    fit = _middle(loss[seen])
    return {"fit": fit, "fit_constant": float(np.median(constant[seen]))}


def _batches(window: Window) -> Batches | None:
    """Of a mean squared error; None for other losses."""
    if not window.chart.loss_mean or window.chart.loss not in (None, "mse"):
        return None
    prefix = "target" if window.chart.loss else "implied"
    means, spreads = (window.scalar(f"{prefix}_{name}") for name in ("mean", "std"))
    loss = window.scalar("loss")
    seen = np.isfinite(means) & np.isfinite(loss) & (spreads > 0)
    late = seen & _late(window)
    if late.sum() < _FEWEST_BATCHES:
        return None
    constant = spreads[late] ** 2 + (means[late] - np.median(means[seen])) ** 2
    uneven = bool(constant.mean() > _UNEVEN * np.median(constant))
    together = float(loss[late].sum() / constant.sum())
    return Batches(_middle(loss[late] / constant), together, uneven)


def _late(window: Window) -> NDArray[np.bool_]:
    return window.steps >= window.last_step * (1 - _LATE)


def _middle(values: Floats) -> Level:
    return Level(float(np.median(values)), 1.25 * scatter(values) / math.sqrt(len(values)))


def _constant(window: Window) -> float:
    """The loss of the best constant answer, also where a squared difference was written by hand.

    NaN if it is not known, or if all targets are the same: those of a residual that is to vanish,
    or of comparisons whose first candidate is always the right one, ask for no constant answer.
    """
    usual = chance(window)
    spread, means = (known(window.scalar(f"implied_{name}")) for name in ("std", "mean"))
    if not math.isfinite(usual) and len(spread) and window.chart.loss_mean:
        usual = float(np.median(spread)) ** 2 + float(np.var(means))
    answers = known(window.scalar("fit_constant"))
    if not math.isfinite(usual) and len(answers) and window.chart.loss_mean:
        usual = float(answers[-1])  # all targets that were seen by then are in it
    return usual if usual > TINY else math.nan


def _start(first: Floats, steps: int) -> Floats:
    """The losses of the first steps; the very first alone if the first updates ruined the rest."""
    start = first[: max(3, min(steps // 50, 20))]
    return first[:1] if float(np.median(start)) > 3 * abs(first[0]) else start


def known(values: Floats) -> Floats:
    return values[np.isfinite(values)]


def _noise(levels: Floats) -> float:
    """The standard deviation of a level around the trend, from the differences of neighbours."""
    return float(np.median(np.abs(np.diff(levels)))) * 1.4826 / math.sqrt(2)


def scatter(levels: Floats) -> float:
    """The standard deviation around the median, without outliers: slow waves count as noise."""
    return float(np.median(np.abs(levels - np.median(levels)))) * 1.4826
