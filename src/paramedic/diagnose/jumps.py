"""A gradient that is, from one step to the next, of another order of magnitude."""

from __future__ import annotations

import math
from dataclasses import dataclass
from math import isfinite, log

import numpy as np

from paramedic.diagnose.rows import middle
from paramedic.types import Chart, Event, Window

JUMP = "jump"  # an event: the probe saw the gradient jump, between looks too

_NEWEST = 4  # frames that are looked at: a jump is told soon or not at all
_FEWEST = 16  # frames before it that tell what is usual
_LEAST = 1e-30  # stands for zero in logarithms
_NARROW = math.log(2)  # range of logarithms within which nothing has jumped
_BEFORE = 32  # losses before a jump that tell what is usual
_RECURRENT = ("RNN", "LSTM", "GRU")
_CALM = 0.05  # smallest deviation of a logarithm: nobody is calmer than 5 %


@dataclass(frozen=True, slots=True)
class Jump:
    """The norm of one gradient against those of the frames before it."""

    step: int
    norm: float
    usual: float  # the median of the norms before
    beyond: float  # against the largest or the smallest before; 1 if it lies between them
    deviations: float  # from the usual one, in robust deviations of the logarithms
    loss: float  # the loss of that step against the usual one; 1 if it is not known


def jump(window: Window) -> Jump | None:
    """The largest jump of the newest frames, up or down; None if too few are known.

    Use `window.of_frames`.
    """
    norms = window.scalar("grad_norm")
    known = np.flatnonzero(np.isfinite(norms))
    logs = np.log(np.maximum(norms[known], _LEAST))
    places = range(max(len(known) - _NEWEST, _FEWEST), len(known))
    if places and np.ptp(logs) < _NARROW:  # the usual case: only the newest is worth a look
        places = places[-1:]
    found = [_at(window, logs, known, place) for place in places]
    return max(found, key=lambda one: abs(math.log(one.beyond)), default=None)


def _at(window: Window, logs: np.ndarray, known: np.ndarray, place: int) -> Jump:
    before, now = logs[:place], float(logs[place])
    usual = middle(before)
    deviation = max(1.4826 * middle(np.abs(before - usual)), _CALM)
    inside = min(max(now, float(before.min())), float(before.max()))
    return Jump(
        step=int(window.steps[known[place]]),
        norm=math.exp(now),
        usual=math.exp(usual),
        beyond=math.exp(min(now - inside, 600.0)),
        deviations=(now - usual) / deviation,
        loss=_loss(window, known[: place + 1]),
    )


def _loss(window: Window, places: np.ndarray) -> float:
    """The loss at the last of these frames against the typical one."""
    losses = np.abs(window.scalar("loss")[places])
    usual = middle(losses[np.isfinite(losses)])
    ratio = float(losses[-1] / usual) if usual > 0 else 1.0
    return ratio if math.isfinite(ratio) else 1.0


def told_jumps(window: Window) -> tuple[Event, ...]:
    """The jumps that the probe told of, newest first. Use `window.derive`."""
    return tuple(event for event in reversed(window.events) if _is_jump(event))


def _is_jump(event: Event) -> bool:
    """Somebody else may call an event of his own so."""
    return event.kind == JUMP and "deviations" in event.data


def new_jumps(window: Window) -> list[Event]:
    """Those of the newest frames."""
    since = int(window.steps[-_NEWEST:][0]) if len(window) else 0
    return [event for event in window.derive(told_jumps) if event.step >= since]


def jumped_layers(event: Event, way: str, factor: float, scatter: float) -> dict[str, list[float]]:
    """The layers whose gradient went `up` or `down` by more than the factor, and by more than
    what all layers did together and than they scatter: their norms, and the usual ones."""
    common = float(event.data["ratio"])
    least = factor * (max(common, 1.0) if way == "up" else min(common, 1.0))
    return {
        name: [norm, usual]
        for name, (norm, usual, deviations) in event.data.get(way, {}).items()
        if (norm > least * usual if way == "up" else norm < least * usual)
        and abs(deviations) > scatter
    }


def loss_ratio(window: Window, step: int) -> float:
    """The loss of a step over the usual one; NaN where that means nothing."""
    pulse = window.pulse
    place = int(np.searchsorted(pulse.step, step))
    before = pulse.loss[max(place - _BEFORE, 0) : place]
    before = before[np.isfinite(before)]
    if place >= len(pulse.step) or pulse.step[place] != step or not len(before):
        return math.nan
    usual = middle(before)
    return float(pulse.loss[place]) / usual if usual > 0 else math.nan


def is_recurrent(chart: Chart) -> bool:
    """Whether the net multiplies by the same weights again and again. Use `window.of_chart`."""
    return any(word in layer.kind for layer in chart.layers for word in _RECURRENT)


class Startle:
    """Notices such jumps, and leaps of the learning rate, frame by frame, at the cost of a
    logarithm, so that they are examined at once and not when it is time. Replays call it for each
    frame: it is kept flat."""

    __slots__ = ("_awake", "_highest", "_level", "_quiet", "_seen", "_spread")

    def __init__(self) -> None:
        self._seen = 0
        self._level = self._spread = 0.0
        self._highest = 0.0  # of the rates so far
        self._awake = 0  # frames that are still to be examined
        self._quiet = 0  # frames until the next jump may startle

    def wake(self) -> None:
        """Somebody else has noticed something."""
        self._awake = max(_EXAMINED, self._awake)

    def notices(self, norm: float, rate: float = math.nan) -> bool:
        """Whether this frame, or one just before it, is out of the ordinary."""
        if self._awake:
            self._awake -= 1
        if rate > self._highest:
            if self._seen >= _FEWEST and rate > _LEAP * self._highest > 0:
                self._awake = _SINCE_LEAP
            self._highest = rate
        if self._quiet:
            self._quiet -= 1
        if not isfinite(norm):
            return self._awake > 0
        away = log(norm if norm > _LEAST else _LEAST) - self._level
        far, seen, spread = abs(away), self._seen, self._spread
        if seen >= _FEWEST and far > _STARTLING and far > _DEVIATIONS * spread:
            if not self._quiet:
                self._awake, self._quiet = max(_EXAMINED, self._awake), _PAUSE
            # One wild frame moves the level like any other.
            far = max(_STARTLING, _DEVIATIONS * spread)
            away = math.copysign(far, away)
        rate = _RATE if seen >= _SETTLED else 1 / (seen + 1)
        self._level += rate * away
        self._spread = spread + rate * (far - spread)
        self._seen = seen + 1
        return self._awake > 0


_STARTLING = math.log(4.0)  # of the norm over the usual one
_DEVIATIONS = 5.0
_EXAMINED = 3  # frames that are examined after a jump: a finding must be seen twice
_LEAP = 3.0  # of the rate over the highest before
_SINCE_LEAP = 8  # frames that are examined after one: the losses that follow must show the harm
_PAUSE = 16  # frames in which no other jump startles, so that a wild run is not examined at each
_SETTLED = 15  # frames after which the level moves slowly
_RATE = 1 / (_SETTLED + 1)
