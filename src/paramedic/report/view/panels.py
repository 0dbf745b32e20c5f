"""The curves of a run: loss, metrics, gradient norm, rates; each panel has one axis."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from paramedic.report.view.course import Course
from paramedic.report.view.pixels import Envelope, envelope, moments

_WIDE = 30.0  # times the least value that the largest must be for a logarithmic axis
_SPLITS = ("train_", "val_", "valid_", "validation_", "test_", "eval_")
_MOST_GROUPS = 8  # learning rates that are drawn; of more, those that differ
_MOST_METRICS = 6  # panels of metrics
_MOST_WORDS = 4  # curves that are told in words


@dataclass(frozen=True, slots=True, eq=False)
class Curve:
    """One line. `by_epoch` tells that it has one point per epoch, and not per step."""

    name: str
    points: Envelope
    by_epoch: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Panel:
    """Curves with a common axis, and the steps at which something happened to them.

    `ticks` maps a word (`not finite`, `skipped`) to steps, at most one per pixel.
    """

    name: str
    title: str
    curves: tuple[Curve, ...]
    scale: str = "linear"
    ticks: dict[str, NDArray[np.int64]] = field(default_factory=dict)
    counts: dict[str, int] = field(default_factory=dict)

    @property
    def summary(self) -> str:
        """The curves in words, for who does not see them."""
        parts = [_in_words(curve) for curve in self.curves[:_MOST_WORDS]]
        rest = len(self.curves) - _MOST_WORDS
        parts += [f"{rest} more curves"] if rest > 0 else []
        parts += [f"{count:,} steps {word}" for word, count in self.counts.items()]
        return "; ".join(parts) + "."


def _in_words(curve: Curve) -> str:
    known = curve.points.values[np.isfinite(curve.points.values)]
    if known.min() == known.max():
        return f"{curve.name} {known[0]:.4g} throughout"
    return f"{curve.name} from {known[0]:.4g} to {known[-1]:.4g}"


def panels(course: Course, width: int) -> tuple[Panel, ...]:
    """All panels that have something to show, the loss first."""
    found = [_loss(course, width), *_metrics(course), _norm(course, width), _rate(course, width)]
    return tuple(panel for panel in found if panel is not None)


def _loss(course: Course, width: int) -> Panel | None:
    pulse = course.pulse
    curves = [Curve("loss", envelope(pulse.step, pulse.loss, width))]
    names = dict.fromkeys(name for one in course.epochs for name in one.values)
    curves += [_by_epoch(course, name) for name in names if name.endswith("loss")]
    shown = _with_values(curves)
    broken = ~pulse.finite
    if not shown and not broken.any():
        return None
    ticks, counts = _ticks(course, {"not finite": broken}, width)
    return Panel("loss", "Loss", shown, _scale(shown), ticks, counts)


def _metrics(course: Course) -> list[Panel]:
    """What users handed in besides losses; the same metric of training and validation together."""
    groups: dict[str, list[str]] = {}
    for name in dict.fromkeys(name for one in course.epochs for name in one.values):
        if not name.endswith("loss"):
            groups.setdefault(_metric(name), []).append(name)
    found = []
    for metric, names in list(groups.items())[:_MOST_METRICS]:
        curves = _with_values(_by_epoch(course, name) for name in names)
        if curves:
            title = {"acc": "Accuracy", "accuracy": "Accuracy"}.get(metric, metric)
            found.append(Panel(f"metric:{metric}", title, curves))
    return found


def _metric(name: str) -> str:
    for split in _SPLITS:
        if name.startswith(split):
            return name.removeprefix(split)
    return name


def _norm(course: Course, width: int) -> Panel | None:
    norms = course.scalars.get("grad_norm")
    if norms is None or not np.isfinite(norms).any():
        return None
    curves = (Curve("gradient norm", envelope(course.steps, norms, width)),)
    return Panel("grad_norm", "Gradient norm", curves, _scale(curves))


def _rate(course: Course, width: int) -> Panel | None:
    curves = []
    drawn: list[NDArray[np.float64]] = []
    for name in course.rates:
        values = course.scalars[name]
        if not any(np.array_equal(values, one, equal_nan=True) for one in drawn):
            drawn.append(values)
            curves.append(Curve(_group(name), envelope(course.steps, values, width)))
    shown = _with_values(curves)[:_MOST_GROUPS]
    ticks, counts = _ticks(course, {"skipped": course.pulse.skipped}, width)
    if not shown and not counts:
        return None
    return Panel("rate", "Learning rate and skipped steps", shown, _scale(shown), ticks, counts)


def _group(name: str) -> str:
    return f"rate of group {name.removeprefix('lr/')}"


def _by_epoch(course: Course, name: str) -> Curve:
    points = [(one.step, one.values[name]) for one in course.epochs if name in one.values]
    steps = np.array([step for step, _ in points], np.int64)
    values = np.array([value for _, value in points], np.float64)
    none = np.empty(0, np.float64)
    clean = np.where(np.isfinite(values), values, np.nan)
    return Curve(name, Envelope(steps, clean, none, none), by_epoch=True)


def _with_values(curves: Iterable[Curve]) -> tuple[Curve, ...]:
    return tuple(one for one in curves if np.isfinite(one.points.values).any())


def _ticks(
    course: Course, happened: dict[str, NDArray[np.bool_]], width: int
) -> tuple[dict[str, NDArray[np.int64]], dict[str, int]]:
    steps = course.pulse.step
    ticks = {word: moments(steps, when, width) for word, when in happened.items() if when.any()}
    return ticks, {word: int(happened[word].sum()) for word in ticks}


def _scale(curves: Sequence[Curve]) -> str:
    """`log` where the values are positive and some are many times others."""
    values = [
        part for one in curves for part in (one.points.values, one.points.low, one.points.high)
    ]
    known = np.concatenate([part[np.isfinite(part)] for part in values]) if values else np.empty(0)
    if not len(known) or known.min() <= 0:
        return "linear"
    return "log" if known.max() > _WIDE * known.min() else "linear"
