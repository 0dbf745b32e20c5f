"""How large the runs are that are shown."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Sizes:
    """`every`: one step in so many is looked at, every second of these looks is a full one.
    `dense`: the same of one more run that is looked at more often, always in full."""

    report_steps: int
    runs: int
    steps: int
    layers: int
    every: int
    dense: int
    updates: int
    clients: int


FULL = Sizes(
    report_steps=10_000, runs=50, steps=100_000, layers=50, every=50, dense=10, updates=30,
    clients=100,
)  # fmt: skip
QUICK = Sizes(
    report_steps=1_000, runs=5, steps=5_000, layers=20, every=20, dense=10, updates=5, clients=20
)
