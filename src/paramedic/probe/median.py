"""The median. Python's own is not used: a file `statistics.py` beside the script would be imported
in the place of its module."""

from __future__ import annotations

from collections.abc import Iterable


def median(values: Iterable[float]) -> float:
    """The value in the middle, or the mean of the two; there must be one."""
    ordered = sorted(values)
    half = len(ordered) // 2
    return ordered[half] if len(ordered) % 2 else (ordered[half - 1] + ordered[half]) / 2
