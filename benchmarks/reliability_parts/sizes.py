"""How much is tried."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Sizes:
    """`hiccup` and `around` are seconds: of a disk that is not available, and before and after;
    `turns` is how often each of these is done; `whole` is whether the server bears the whole
    crowd and every way of the sandbox is tried."""

    kills: int
    hiccup: float
    around: float
    turns: int
    mutants: int
    whole: bool


FULL = Sizes(kills=200, hiccup=2.0, around=1.0, turns=3, mutants=10_000, whole=True)
QUICK = Sizes(kills=8, hiccup=0.5, around=0.3, turns=1, mutants=280, whole=False)
