"""The signs of a picture made of text: as many as the terminal can show."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise


@dataclass(frozen=True, slots=True)
class Glyphs:
    """`bars` from low to high; `broken` stands for what is not finite."""

    bars: str = "▁▂▃▄▅▆▇█"
    broken: str = "×"
    dot: str = "·"
    arrow: str = "→"
    ellipsis: str = "…"
    rule: str = "─"

    def text(self, words: str) -> str:
        """Words of ours, in signs that can be shown."""
        plain = words.replace("·", self.dot).replace("→", self.arrow)
        return plain.replace("…", self.ellipsis).replace("─", self.rule)

    def bar(self, share: float) -> str:
        """The bar of a share between 0 and 1."""
        return self.bars[min(max(int(share * len(self.bars)), 0), len(self.bars) - 1)]


UNICODE = Glyphs()
ASCII = Glyphs(bars="_.-=+*#@", broken="x", dot="|", arrow="->", ellipsis="~", rule="-")


def fitting(encoding: str | None) -> Glyphs:
    """The best signs that an encoding has."""
    try:
        "".join((UNICODE.bars, UNICODE.dot, UNICODE.arrow)).encode(encoding or "ascii")
    except (UnicodeEncodeError, LookupError):
        return ASCII
    return UNICODE


def sparkline(values: Sequence[float], glyphs: Glyphs) -> str:
    """A bar for each value, from the lowest to the highest."""
    finite = [value for value in values if math.isfinite(value)]
    low, high = min(finite, default=0.0), max(finite, default=0.0)
    scale = 1 / (high - low) if high > low else 0.0
    return "".join(
        glyphs.bar((value - low) * scale) if math.isfinite(value) else glyphs.broken
        for value in values
    )


def grouped(values: Sequence[float], most: int) -> list[float]:
    """At most `most` values: means of even groups; one that is not finite makes its group so."""
    count = min(len(values), most)
    if count == len(values):
        return list(values)
    edges = [round(place * len(values) / count) for place in range(count + 1)]
    return [_mean(values[begin:end]) for begin, end in pairwise(edges)]


def _mean(values: Iterable[float]) -> float:
    several = list(values)
    return sum(several) / len(several)
