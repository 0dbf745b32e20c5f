"""What the indicators of BTTackler share: the stages of a run, and numbers that several read."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from paramedic.diagnose.detector import Detector, threshold
from paramedic.diagnose.reference._measurements import known, layers_with_parameters, newest_row
from paramedic.types import Finding, Window

PAPER = "BTTackler, section 3.2"
CODE = "BTTackler's public code"


def gradient_sizes(window: Window) -> NDArray[np.float64] | None:
    """The mean of |g| of each layer with parameters, in the newest full frame; NaN if not seen."""
    return newest_row(window.layer("grad_mean_abs")[:, window.derive(layers_with_parameters)])


def amplification(window: Window) -> float:
    """The median over adjacent layers of mean |g| of the one over that of the next; NaN if none.

    Layers without a measured gradient are passed over, and so is zero over zero.
    """
    sizes = window.derive(gradient_sizes)
    if sizes is None:
        return np.nan
    measured = known(sizes)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        ratios = known(measured[:-1] / measured[1:])
    return float(np.median(ratios)) if len(ratios) else np.nan


def train_losses(window: Window) -> NDArray[np.float64]:
    """The training losses of the epochs, without gaps."""
    return known(window.series("train_loss"))


@dataclass(frozen=True, slots=True)
class StagedRule(Detector):
    """A rule that works in one half of the run."""

    patience = 1

    epochs: int = threshold(20, "planned number of epochs", source=CODE)

    def is_late(self, window: Window) -> bool:
        """Whether the epoch that ended last is in the second half of the planned ones."""
        return len(window.epochs) > self.epochs // 2

    def missing(self, window: Window) -> str | None:
        return None if window.epochs else "no epoch has ended, so the stage is not known"


@dataclass(frozen=True, slots=True)
class AdjacentLayersRule(StagedRule):
    """An early rule on the median amplification between adjacent layers."""

    needs = frozenset({"grad_mean_abs"})

    def missing(self, window: Window) -> str | None:
        if np.isnan(window.derive(amplification)):
            return "no two adjacent layers with a measured gradient in any full frame"
        return StagedRule.missing(self, window)

    def told(self, window: Window, median: float, bound: float) -> Finding:
        return self.finding(
            window,
            f"From a layer to the one before it the gradient is multiplied by {median:.2g}.",
            confidence=1.0,
            median=median,
            threshold=bound,
            epochs=len(window.epochs),
        )


@dataclass(frozen=True, slots=True)
class LateLossRule(StagedRule):
    """A late rule on the losses of an adaptive window, a share of the planned epochs."""

    share: float = threshold(0.3, "window as a share of the planned epochs", source=CODE)

    def length(self) -> int:
        """How many epochs the window has; a line needs two."""
        return max(round(self.share * self.epochs), 2)

    def missing(self, window: Window) -> str | None:
        if not self.is_late(window):
            return f"it works in the late stage, after {self.epochs // 2} epochs"
        seen = len(window.derive(train_losses))
        few = seen < self.length()
        return f"{seen} of {self.length()} training losses were handed in" if few else None


def zero_shares(window: Window) -> tuple[tuple[str, ...], NDArray[np.float64]]:
    """The names of layers and the share of zero units in each, in the newest frame that has it.

    Of the rectifying functions, called as modules or found in front of the next layer; where none
    was seen, of the gradients of the layers with parameters. Empty if nothing was measured.
    """
    dead = np.concatenate([window.layer("act_dead"), window.layer("input_dead")], axis=1)
    shares, places = newest_row(dead), np.tile(np.arange(len(window.names)), 2)
    if shares is None:
        places = window.derive(layers_with_parameters)
        shares = newest_row(window.layer("grad_zero")[:, places])
    if shares is None:
        return (), np.array([])
    measured = ~np.isnan(shares)
    return tuple(window.names[place] for place in places[measured]), shares[measured]


def slope_of(values: NDArray[np.float64]) -> float:
    """The slope of the least-squares line through equally spaced values."""
    places = np.arange(len(values)) - (len(values) - 1) / 2
    return float(places @ values / (places @ places))
