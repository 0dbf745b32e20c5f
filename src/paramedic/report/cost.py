"""What watching has cost, in words: one way for all places that show it.

Of a run of a second the first looks are most of the time, and a share of it says nothing of a
longer one: then only the seconds are shown.
"""

from __future__ import annotations

_LONG = 20.0  # seconds of training, from which a share of them means something


def cost(share: float | None, seconds: float | None) -> str:
    """`12.3 s, 0.8 % of the time of the training`; of a short run `0.1 s`; empty if not known."""
    words = [] if seconds is None else [_duration(seconds)]
    if share is not None and _means_something(share, seconds):
        words.append(f"{100 * share:.1f} % of the time of the training")
    return ", ".join(words)


def brief(share: float, elapsed: float) -> str:
    """`0.8 % of the time`, or `0.1 s` of a short run that has taken `elapsed` seconds."""
    seconds = elapsed * share / (1 + share)
    if _means_something(share, seconds):
        return f"{100 * share:.1f} % of the time"
    return _duration(seconds)


def _means_something(share: float, seconds: float | None) -> bool:
    """Whether to show a share: of a long training that took more time than watching it."""
    if not 0 <= share <= 1:
        return False
    return seconds is None or seconds >= share * _LONG


def _duration(seconds: float) -> str:
    if seconds < 60:
        return f"{seconds:.1f} s"
    return f"{seconds / 60:.1f} min" if seconds < 3600 else f"{seconds / 3600:.1f} h"
