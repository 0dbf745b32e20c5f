"""Whether confidence keeps its word: of the remedies given 0.8, do 80 % work?"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Bin:
    """The remedies whose confidence lay in one stretch."""

    low: float
    high: float
    count: int
    confidence: float  # their mean
    worked: float  # the share of them that worked

    @property
    def gap(self) -> float:
        """How far the claim is from the truth."""
        return abs(self.confidence - self.worked)


def reliability(pairs: Iterable[tuple[float, bool]], bins: int = 10) -> tuple[Bin, ...]:
    """A row for each stretch of confidence in which something was given, from low to high."""
    if bins < 1:
        raise ValueError(f"`bins` must be at least 1 but got {bins}.")
    places: dict[int, list[tuple[float, bool]]] = {}
    for confidence, worked in pairs:
        if not 0 <= confidence <= 1:
            raise ValueError(f"A confidence must lie between 0 and 1 but got {confidence}.")
        places.setdefault(min(int(confidence * bins), bins - 1), []).append((confidence, worked))
    return tuple(_bin(place, bins, places[place]) for place in sorted(places))


def _bin(place: int, bins: int, found: list[tuple[float, bool]]) -> Bin:
    count = len(found)
    return Bin(
        low=place / bins,
        high=(place + 1) / bins,
        count=count,
        confidence=sum(confidence for confidence, _ in found) / count,
        worked=sum(worked for _, worked in found) / count,
    )


def expected_calibration_error(pairs: Iterable[tuple[float, bool]], bins: int = 10) -> float:
    """The mean gap between claim and truth, each stretch weighted by what was given in it."""
    rows = reliability(pairs, bins)
    total = sum(row.count for row in rows)
    if not total:
        raise ValueError("There is nothing to calibrate by: no remedy was tried.")
    return sum(row.count * row.gap for row in rows) / total


def brier(pairs: Iterable[tuple[float, bool]]) -> float:
    """The mean squared distance of the claims from what happened."""
    found = list(pairs)
    if not found:
        raise ValueError("There is nothing to calibrate by: no remedy was tried.")
    return sum((confidence - worked) ** 2 for confidence, worked in found) / len(found)
