"""Numbers and names in sentences."""

from __future__ import annotations

from collections.abc import Iterable

_NAMED = 4


def listed(names: Iterable[str]) -> str:
    """`a`, `b` and 3 more."""
    words = [f"`{name}`" for name in names]
    rest = len(words) - _NAMED
    if rest > 1:
        return f"{', '.join(words[:_NAMED])} and {rest} more"
    return " and ".join([", ".join(words[:-1]), words[-1]]) if len(words) > 1 else "".join(words)


def sized(count: float) -> str:
    """Bytes in a unit that fits."""
    for unit in ("bytes", "kB", "MB", "GB"):
        if abs(count) < 1000 or unit == "GB":
            return f"{count:.0f} {unit}" if unit == "bytes" else f"{count:.3g} {unit}"
        count /= 1000
    raise AssertionError("the loop ends with the largest unit")
