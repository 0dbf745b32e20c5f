"""Processes that record, killed at random moments: what they leave."""

from __future__ import annotations

from collections import Counter
from typing import Any

from reliability_parts.sizes import Sizes
from tests.trace.killing import kill

_AT_ONCE = 8  # of these a quarter each record runs of the same length


def measure(sizes: Sizes) -> dict[str, Any]:
    """How many traces there were, how many were empty or refused."""
    totals: Counter[str] = Counter()
    for seed in range(0, sizes.kills, _AT_ONCE):
        totals.update(kill(min(_AT_ONCE, sizes.kills - seed), seed))
        print(f"  kills: {dict(totals)}", flush=True)
    return dict(totals)
