"""Rows as text: short columns first, the last one wrapped."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence

_GAP = 2
_WORDS = 40  # columns that a sentence wants; in a narrower terminal it goes below its row


def table(rows: Sequence[Sequence[str]], width: int) -> str:
    """Lines of at most `width` columns, as long as the short columns leave room for that."""
    if not rows:
        return ""
    widths = [max(len(row[place]) for row in rows) + _GAP for place in range(len(rows[0]) - 1)]
    indent = sum(widths)
    if width - indent < _WORDS:
        return "\n".join(_stacked(row, widths, width) for row in rows)
    return "\n".join(_beside(row, widths, width) for row in rows)


def _beside(row: Sequence[str], widths: Sequence[int], width: int) -> str:
    return textwrap.fill(
        row[-1],
        width,
        initial_indent=_start(row, widths),
        subsequent_indent=" " * sum(widths),
        break_on_hyphens=False,
    )


def _stacked(row: Sequence[str], widths: Sequence[int], width: int) -> str:
    indent = " " * 2 * _GAP
    text = textwrap.fill(
        row[-1],
        max(width, _WORDS),
        initial_indent=indent,
        subsequent_indent=indent,
        break_on_hyphens=False,
    )
    return f"{_start(row, widths).rstrip()}\n{text}"


def _start(row: Sequence[str], widths: Sequence[int]) -> str:
    cells = zip(row[:-1], widths, strict=True)
    return "".join(cell.ljust(wide) for cell, wide in cells)
