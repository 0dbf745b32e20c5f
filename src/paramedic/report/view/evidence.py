"""The numbers that prove a finding, each beside its threshold."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

_STEPS = ("first_step", "moment", "step")  # told as the moment it began
_FLAGS = ("by_construction",)
_WIDE = 8.0  # times the smaller that the larger must be for a logarithmic gauge
_MARGIN = 0.12  # of a gauge, on either side of what it shows
_SHOWN = 6  # names that are listed; more are counted


@dataclass(frozen=True, slots=True)
class Gauge:
    """Where a value and its threshold lie between the ends of a bar, from 0 to 1."""

    value: float
    threshold: float
    scale: str


@dataclass(frozen=True, slots=True)
class Fact:
    """One number of the evidence, in words; with a gauge if it has a threshold."""

    name: str
    value: str
    threshold: str = ""
    gauge: Gauge | None = None


def facts(evidence: Mapping[str, Any]) -> tuple[Fact, ...]:
    """What proves a finding, numbers with a threshold first."""
    limits = thresholds(evidence)
    told = [
        _fact(name, value, evidence[limits[name]] if name in limits else None)
        for name, value in evidence.items()
        if name not in limits.values() and name not in (*_STEPS, *_FLAGS)
    ]
    return tuple(sorted(told, key=lambda fact: fact.gauge is None))


def thresholds(values: Mapping[str, Any]) -> dict[str, str]:
    """Which number is the threshold of which.

    That of `norm` is called `norm_threshold`, or `threshold` if it comes right after.
    """
    names = list(values)
    limits: dict[str, str] = {}
    for place, name in enumerate(names):
        owner = name.removesuffix("_threshold")
        if owner != name and owner in values:
            limits[owner] = name
        elif name == "threshold" and place > 0:
            limits[names[place - 1]] = name
    return limits


def brief(value: Any) -> str:
    """A value in few characters."""
    if isinstance(value, float):
        return f"{value:.3g}" if math.isfinite(value) else str(value)
    if isinstance(value, list | tuple):
        return listed([brief(one) for one in value])
    if isinstance(value, Mapping):
        return listed([f"{name} {brief(one)}" for name, one in value.items()])
    return str(value)


def listed(names: Sequence[str]) -> str:
    """The first few names; the others are counted."""
    rest = len(names) - _SHOWN
    shown = ", ".join(map(str, names[:_SHOWN]))
    return f"{shown} and {rest} more" if rest > 0 else shown


def _fact(name: str, value: Any, limit: Any) -> Fact:
    words = name.replace("_", " ")
    if limit is None:
        return Fact(words, brief(value))
    return Fact(words, brief(value), brief(limit), _gauge(value, limit))


def _gauge(value: Any, limit: Any) -> Gauge | None:
    if not (_is_number(value) and _is_number(limit)) or value == limit == 0:
        return None
    low, high = sorted((float(value), float(limit)))
    if low > 0 and high > _WIDE * low:
        low, high = math.log(low), math.log(high)
        value, limit, scale = math.log(value), math.log(limit), "log"
    else:
        low, high, scale = min(low, 0.0), max(high, 0.0), "linear"
    if high == low:
        return Gauge(0.5, 0.5, scale)
    inner = 1 - 2 * _MARGIN
    place = [_MARGIN + inner * (float(one) - low) / (high - low) for one in (value, limit)]
    return Gauge(round(place[0], 4), round(place[1], 4), scale)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
