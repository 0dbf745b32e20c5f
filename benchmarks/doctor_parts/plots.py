"""The pictures of the page."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import matplotlib as mpl

mpl.use("Agg")
import matplotlib.pyplot as plt

from .counting import CLOSE, Row, chosen, label, of_part, ratio
from .plan import EXPLODING, MODES, SOON, VANISHING

COLOURS = {EXPLODING: "#c0392b", VANISHING: "#2c3e50"}
WORST = 1.6  # ratios above are drawn at the edge
DPI = 100


def draw(results: dict[str, Any], folder: Path) -> list[tuple[str, str]]:
    """Draw what was measured; file names with what they show."""
    drawn = []
    injected, rescues = of_part(results["rows"], "injection"), of_part(results["rows"], "rescue")
    if injected:
        _delays(injected, folder / "doctor.delays.png")
        drawn.append(("doctor.delays.png", "How soon injected gradients are found"))
    if rescues:
        _losses(rescues, folder / "doctor.rescues.png")
        drawn.append(("doctor.rescues.png", "Final losses of treated and untreated runs"))
    return drawn


def _delays(rows: Sequence[Row], file: Path) -> None:
    figure, axes = plt.subplots(1, len(MODES), figsize=(7.6, 2.8), sharey=True)
    places = [*range(SOON + 1), "later", "never"]
    for axis, mode in zip(axes, MODES, strict=True):
        for shift, (fault, colour) in enumerate(COLOURS.items()):
            some = chosen(rows, mode, fault=fault)
            counts = [sum(_place(row) == place for row in some) for place in places]
            x = [number + 0.4 * shift - 0.2 for number in range(len(places))]
            axis.bar(x, counts, width=0.38, color=colour, label=fault)
        axis.set_xticks(range(len(places)), [str(place) for place in places], fontsize=8)
        axis.set_title(mode, fontsize=9)
        axis.set_xlabel("steps until it is found", fontsize=8)
    axes[0].set_ylabel("runs", fontsize=8)
    axes[0].legend(fontsize=7)
    _save(figure, file)


def _place(row: Row) -> int | str:
    delay: int | None = row["delay"]
    if delay is None:
        return "never"
    return delay if delay <= SOON else "later"


def _losses(rows: Sequence[Row], file: Path) -> None:
    kinds = list(dict.fromkeys(label(row, "kind") for row in rows))
    figure, axis = plt.subplots(figsize=(7.6, 0.5 * len(kinds) + 1.2))
    for place, kind in enumerate(kinds):
        for which, colour, shift in (("untreated", "#bdc3c7", 0.15), ("treated", "#2c3e50", -0.15)):
            found = [ratio(row, which) for row in chosen(rows, kind=kind)]
            x = [WORST if one is None else min(one, WORST) for one in found]
            name = which if place == 0 else None
            axis.scatter(x, [place + shift] * len(x), s=18, color=colour, alpha=0.8, label=name)
    axis.axvline(CLOSE, color="#c0392b", lw=0.8, ls="--")
    axis.set_yticks(range(len(kinds)), kinds, fontsize=8)
    axis.set_xlabel(
        f"final validation loss over that of the uninjected run ({WORST:g}: this or worse)",
        fontsize=8,
    )
    axis.legend(fontsize=7)
    _save(figure, file)


def _save(figure: Any, file: Path) -> None:
    figure.tight_layout()
    figure.savefig(file, dpi=DPI, metadata={"Software": None})
    plt.close(figure)
