"""Whether a run learns: a fact about its losses, against baselines that are stated.

The losses of every step of the whole run are compared with what no learning would give: the first
losses, and the best constant answer for the targets that were seen. Where the loss is no measure
of progress (policy gradients, adversarial games, targets that the model makes itself), the metric
of the program decides, and without one there is no verdict.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from paramedic.diagnose.comparison import (
    CLEAR,
    EFFECT,
    SIGNIFICANT,
    TINY,
    Facts,
    Level,
    compare,
    known,
    scatter,
)  # fmt: skip
from paramedic.diagnose.curve import majority
from paramedic.diagnose.metric import Metric
from paramedic.diagnose.rows import largest_rates, largest_updates
from paramedic.diagnose.surrogate import SETTLED, why_surrogate
from paramedic.types import Verdict, Window

Floats = NDArray[np.float64]

ENOUGH = 50  # steps before which a run that has not learned is too young to be judged
_LIKELY = 2.0  # standard errors from which a change is too likely to be denied
_FAR = 10.0  # times its size that a loss that has diverged is above its start
_EXPLOSION = 100.0  # times its size that a loss that has exploded was above its start
_RECOVERED = 0.6  # fraction of the loss that must be gone after that to count as learning
_GONE = 0.5  # fraction of non-finite losses at the end of a run that has diverged
_LOOKS = 4  # that must agree before nothing moves
_STILL = 1e-8  # of the largest learning rate or update: nothing moves any more
_PLAUSIBLE = 0.3  # fraction of the loss: a run that may have lost as much has not failed yet
_MOST_MAJORITY = 0.95
_MISTAKES = 0.05  # of always answering the most frequent class, that must be avoided at least
_MOST_OF = 0.5  # fraction of a composed loss that its comparison with targets must be


@dataclass(frozen=True, slots=True)
class Assessment:
    """The verdict, the sentence that says why, and the numbers it compared."""

    verdict: Verdict
    reason: str
    numbers: Mapping[str, float] = field(default_factory=dict)

    def __str__(self) -> str:
        return f"{self.verdict}: {self.reason}"

    def to_json(self) -> dict[str, Any]:
        """Plain values."""
        return {"verdict": str(self.verdict), "reason": self.reason, "numbers": dict(self.numbers)}


def judge(window: Window, metric: Metric | None = None, surrogate: str = "") -> Assessment:
    """Whether the run in this window learns.

    Args:
        window: the run; `losses` and `epochs` are what counts.
        metric: a number by which the program measures itself, if there is one.
        surrogate: why the loss is no measure of progress; empty if it is one. What the window
            itself shows of this is seen without it.
    """
    facts = compare(window)
    if (found := _not_finite(window)) is not None:
        return found
    if facts is None:
        return _never_moved(window) or _too_few(window)
    if (found := _no_gradient(window, facts)) is not None:
        return found
    surrogate = surrogate or why_surrogate(window, facts)
    if metric is not None and metric.is_enough and surrogate:
        return _by_metric(metric, surrogate)
    if surrogate:
        return Assessment(Verdict.CANNOT_TELL, surrogate, facts.numbers)
    return (
        _diverged(window, facts)
        or _by_validation(window, facts)
        or _idle(window, facts)
        or _unexplained(window, facts)
        or _no_batch_better(window, facts)
        or _learned(facts)
        or _not_learned(window, facts)
    )


# -- the tests, in the order of their precedence -------------------------------------------------


def _not_finite(window: Window) -> Assessment | None:
    bad = window.losses.bad
    if not len(bad):
        return None
    count = max(int(len(bad) * 0.1), 1)
    if bad[-count:].mean() > _GONE:
        since = int(np.flatnonzero(bad < 1.0)[-1] + 1) if (bad < 1.0).any() else 0
        step = since * window.losses.width
        reason = f"the loss is not finite (NaN or infinite) from step {step:,} to the end"
        return Assessment(Verdict.DIVERGED, reason, {"non-finite from step": float(step)})
    validation = np.array([epoch.values.get("val_loss", 0.0) for epoch in window.epochs])
    if len(validation) and not np.isfinite(validation[-1]):
        count = int((~np.isfinite(validation)).sum())
        reason = f"the validation loss is not finite in {count} of {len(validation)} epochs"
        return Assessment(Verdict.DIVERGED, reason, {"epochs": float(len(validation))})
    return None


def _never_moved(window: Window) -> Assessment | None:
    """Whatever the loss is, the steps of the optimizer change nothing: it holds parameters that no
    loss depends on, such as those of a model that was replaced."""
    sizes = known(largest_updates(window))
    if window.last_step + 1 < ENOUGH or len(sizes) < _LOOKS or sizes.any():
        return None
    reason = f"nothing moves: no update changed a weight in any of {len(sizes)} steps looked at"
    return Assessment(Verdict.NOT_LEARNING, reason, {"steps": float(window.last_step + 1)})


def _too_few(window: Window) -> Assessment:
    steps = max(window.last_step + 1, 0)
    if len(window.losses) and np.isnan(window.losses.levels).all():
        return Assessment(Verdict.CANNOT_TELL, f"no loss could be seen in {steps:,} steps")
    plural = "" if steps == 1 else "s"
    return Assessment(Verdict.TOO_EARLY, f"the run has {steps:,} step{plural}")


def _no_gradient(window: Window, facts: Facts) -> Assessment | None:
    """Whatever the loss measures, it does not depend on the parameters."""
    norms = known(window.scalar("grad_norm"))
    if len(norms) < _LOOKS or norms.any():
        return None
    reason = f"the gradient was zero in all of {len(norms)} steps that were looked at"
    return Assessment(Verdict.NOT_LEARNING, reason, facts.numbers)


def _diverged(window: Window, facts: Facts) -> Assessment | None:
    rise = facts.end.value - facts.start.value
    if rise > _FAR * facts.size and facts.start.below(facts.end) > SIGNIFICANT:
        times = f"{_number(facts.start.value)} at first, {_number(facts.end.value)} at the end"
        return Assessment(Verdict.DIVERGED, f"the loss has risen far: {times}", facts.numbers)
    if facts.gone < _RECOVERED and (peak := _explosion(window, facts)) is not None:
        reason = (
            f"the loss rose to {_number(peak)} and did not recover: "
            f"{_number(facts.start.value)} at first, {_number(facts.end.value)} at the end"
        )
        return Assessment(Verdict.DIVERGED, reason, {**facts.numbers, "largest loss": peak})
    if _runs_to_minus_infinity(known(window.losses.levels), facts):
        reason = f"the loss falls without bound, ever faster: {_number(facts.end.value)} by now"
        return Assessment(Verdict.DIVERGED, reason, facts.numbers)
    return None


def _explosion(window: Window, facts: Facts) -> float | None:
    """The level that the loss exploded to for at least three stretches in a row, if it did."""
    levels = known(window.losses.levels)
    rows = np.lib.stride_tricks.sliding_window_view(levels, 3)
    peak = float(rows.min(axis=1).max())
    return peak if peak - facts.start.value > _EXPLOSION * facts.size else None


def _runs_to_minus_infinity(levels: Floats, facts: Facts) -> bool:
    """Losses with a lower bound, and densities, fall ever slower."""
    if facts.end.value > -_FAR * facts.scale or len(levels) < 12:
        return False
    early, middle, late = (float(np.median(part)) for part in np.array_split(levels, 3))
    return middle - late > early - middle > 0 and late < min(2 * middle, 0.0)


def _by_validation(window: Window, facts: Facts) -> Assessment | None:
    """Validation against guessing: it decides, whatever the training loss does."""
    accuracy, counted = known(window.series("val_acc")), known(window.scalar("label_majority"))
    guess = float(counted[-1]) if len(counted) else majority(window)
    if len(accuracy) and math.isfinite(guess) and guess < _MOST_MAJORITY:
        return _by_accuracy(window, facts, _lately(accuracy), guess, counted=bool(len(counted)))
    return _by_validation_loss(window, facts)


def _by_accuracy(
    window: Window, facts: Facts, accuracy: float, guess: float, *, counted: bool
) -> Assessment | None:
    """Against the share of the most frequent class; one that was not counted is what it may be at
    most, by the entropy of the labels, so that staying below it proves nothing."""
    error = math.sqrt(guess * (1 - guess) / _validated(window))
    numbers = {"validation accuracy": accuracy, "most frequent class": guess, **facts.numbers}
    if accuracy > guess + 3 * error:
        reason = f"validation accuracy {accuracy:.3g}, the most frequent class {guess:.3g}"
        return Assessment(Verdict.LEARNING, reason, numbers)
    hopeless = accuracy < guess + min(error, _MISTAKES * (1 - guess))
    if counted and facts.steps >= ENOUGH and hopeless:
        reason = (
            f"validation accuracy is {accuracy:.3g}, no better than always answering the most "
            f"frequent class ({guess:.3g})"
        )
        return Assessment(Verdict.NOT_LEARNING, reason, numbers)
    return _by_validation_loss(window, facts)


def _by_validation_loss(window: Window, facts: Facts) -> Assessment | None:
    """A validation loss that stays above that of a constant answer."""
    losses, constant = known(window.series("val_loss")), facts.constant
    if len(losses) < 2 or facts.steps < ENOUGH or not constant > 0:
        return None
    if float(losses.min()) < constant * (1 - EFFECT) or _lately(losses) < constant:
        return None
    reason = (
        f"the validation loss is {_number(_lately(losses))} and was never below "
        f"{_number(float(losses.min()))}; the best constant answer gives {_number(constant)}"
    )
    return Assessment(Verdict.NOT_LEARNING, reason, facts.numbers)


def _lately(values: Floats) -> float:
    """The typical value of the last quarter."""
    return float(np.median(values[-max(len(values) // 4, 1) :]))


def _validated(window: Window) -> int:
    """A cautious guess of how many samples an accuracy was computed from: its finest step."""
    accuracy = known(window.series("val_acc"))
    gaps = np.diff(np.unique(np.round(accuracy, 9)))
    finest = float(gaps.min()) if len(gaps) else 0.01
    return int(np.clip(1 / max(finest, 1e-4), 30, 10_000))


def _idle(window: Window, facts: Facts) -> Assessment | None:
    """Nothing has moved for the last half of the run, and not because there is nothing left."""
    if facts.gone > SETTLED or facts.steps < ENOUGH:
        return None
    for name, rows in (
        ("learning rate", largest_rates(window)),
        ("size of the updates", largest_updates(window)),
    ):
        rows = rows[np.isfinite(rows)]
        if len(rows) < _LOOKS:
            continue
        late = rows[len(rows) // 2 :]
        if late.max() <= _STILL * max(rows.max(), TINY):
            reason = f"nothing moves any more: the {name} is {late.max():.2g}"
            return Assessment(Verdict.NOT_LEARNING, reason, facts.numbers)
    return None


def _unexplained(window: Window, facts: Facts) -> Assessment | None:
    """A composed loss that falls while most of it, the part that compares predictions with
    targets, is no better than that of a constant answer."""
    fit = facts.fit
    if fit is None or facts.steps < ENOUGH or fit.value < _MOST_OF * abs(facts.end.value):
        return None
    below = 1 - fit.value / facts.fit_constant
    certain = fit.below(Level(facts.fit_constant, 0.0)) > SIGNIFICANT
    if below > CLEAR or (below > EFFECT and certain):
        return None
    reason = (
        f"the part of the loss that compares predictions with targets is {_number(fit.value)}, no "
        f"better than that of the best constant answer ({_number(facts.fit_constant)})"
    )
    if _still_falls(window, facts):
        return Assessment(Verdict.TOO_EARLY, f"the loss still falls, but {reason}", facts.numbers)
    return Assessment(Verdict.NOT_LEARNING, reason, facts.numbers)


def _no_batch_better(window: Window, facts: Facts) -> Assessment | None:
    """Each batch against the best constant answer to its own targets, where outliers in some make
    all others look good: their mean is far above a typical loss."""
    if facts.batches is None or facts.steps < ENOUGH:
        return None
    typical = facts.batches.typical
    if facts.batches.together < 1 - CLEAR or typical.value < 1 - EFFECT:
        return None
    if typical.value - _LIKELY * typical.error < 1 - _PLAUSIBLE:
        return None
    reason = _in_typical_batch(typical.value)
    if _still_falls(window, facts):
        return Assessment(Verdict.TOO_EARLY, f"the loss still falls, but {reason}", facts.numbers)
    return Assessment(Verdict.NOT_LEARNING, reason, facts.numbers)


def _learned(facts: Facts) -> Assessment | None:
    if facts.has_fallen:
        return Assessment(Verdict.LEARNING, _fall(facts), facts.numbers)
    if facts.below_constant > CLEAR or _batches_below(facts, SIGNIFICANT):
        return Assessment(Verdict.LEARNING, _below_constant(facts), facts.numbers)
    return None


def _not_learned(window: Window, facts: Facts) -> Assessment:
    if facts.steps < ENOUGH:
        reason = f"{facts.steps} steps without a clear fall of the loss are too few"
        return Assessment(Verdict.TOO_EARLY, reason, facts.numbers)
    if _still_falls(window, facts):
        reason = f"the loss still falls but has not passed its baseline yet ({_ends(facts)})"
        return Assessment(Verdict.TOO_EARLY, reason, facts.numbers)
    if _is_likely(facts) or facts.plausible > _PLAUSIBLE:
        reason = (
            f"the loss differs so much from step to step that {facts.steps:,} steps do not show "
            f"whether it falls ({_ends(facts)})"
        )
        return Assessment(Verdict.TOO_EARLY, reason, facts.numbers)
    if facts.baseline is not facts.start:
        reason = f"no better than a constant answer after {facts.steps:,} steps ({_ends(facts)})"
        return Assessment(Verdict.NOT_LEARNING, reason, facts.numbers)
    reason = f"the loss is no lower than at first after {facts.steps:,} steps ({_ends(facts)})"
    return Assessment(Verdict.NOT_LEARNING, reason, facts.numbers)


def _is_likely(facts: Facts) -> bool:
    """Whether a fall is too likely to be denied, though it is not certain."""
    fallen = facts.end.below(facts.baseline) > _LIKELY and facts.gone > EFFECT
    return fallen or _batches_below(facts, _LIKELY)


def _batches_below(facts: Facts, errors: float) -> bool:
    """Whether a typical batch is below its constant answer, by so many standard errors; where
    batches are much alike, their losses say it better."""
    if facts.batches is None or not facts.batches.uneven:
        return False
    typical = facts.batches.typical
    return typical.below(Level(1.0, 0.0)) > errors and typical.value < 1 - EFFECT


def _still_falls(window: Window, facts: Facts) -> bool:
    """Whether the second half of the run is still on its way down, beyond its noise."""
    levels = known(window.losses.levels)
    half = levels[len(levels) // 2 :]
    if len(half) < 6:
        return False
    before, after = np.array_split(half, 2)
    fall = float(np.median(before) - np.median(after))
    error = 1.25 * math.hypot(scatter(before), scatter(after)) / math.sqrt(len(after))
    return fall > EFFECT * facts.scale and fall > SIGNIFICANT * max(error, TINY)


def _by_metric(metric: Metric, surrogate: str) -> Assessment:
    """What the program measures itself by, at first and at the end. One that it only logs proves
    nothing where it is not better."""
    before, after = metric.ends
    numbers = {f"{metric.name} at first": before, f"{metric.name} at the end": after}
    change = f"{metric.name} {_number(before)} at first, {_number(after)} at the end"
    if metric.is_better:
        return Assessment(Verdict.LEARNING, change, numbers)
    if metric.logged:
        reason = f"{surrogate}; and not clearly better than at first: {change}"
        return Assessment(Verdict.CANNOT_TELL, reason, numbers)
    return Assessment(Verdict.NOT_LEARNING, f"no better than at first: {change}", numbers)


def _fall(facts: Facts) -> str:
    if facts.baseline is facts.start:
        return f"the loss fell from {_number(facts.start.value)} to {_number(facts.end.value)}"
    return (
        f"loss {_number(facts.end.value)}, below {_number(facts.constant)} of the best constant "
        f"answer (first {_number(facts.start.value)})"
    )


def _below_constant(facts: Facts) -> str:
    if facts.batches is not None and facts.batches.uneven:
        return _in_typical_batch(facts.batches.typical.value)
    since = " since its beginning" if facts.start.value < facts.constant * (1 - CLEAR) else ""
    return (
        f"loss {_number(facts.end.value)}, well below {_number(facts.constant)} of the best "
        f"constant answer{since}"
    )


def _in_typical_batch(value: float) -> str:
    return (
        f"in a typical batch the loss is {_number(value)} times that of the best constant answer "
        "to its targets"
    )


def _ends(facts: Facts) -> str:
    constant = (
        f", best constant answer {_number(facts.constant)}" if math.isfinite(facts.constant) else ""
    )
    return f"first {_number(facts.start.value)}, now {_number(facts.end.value)}{constant}"


def _number(value: float) -> str:
    return f"{value:.4g}"
