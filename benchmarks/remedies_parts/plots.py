"""The picture of the page: what was claimed against what happened."""

from __future__ import annotations

from pathlib import Path

import matplotlib as mpl

mpl.use("Agg")
import matplotlib.pyplot as plt

from paramedic.prescribe.calibration import reliability
from paramedic.prescribe.confidence import LEAST

from .fitting import Fitted, claims, single
from .trial import Trial

FILE = "remedies.png"
PARTS = {"held": ("judging half, not used for fitting", "#2c3e50"),
         "fit": ("tuning half, fitted", "#bdc3c7")}  # fmt: skip


def draw(trials: list[Trial], fitted: Fitted, folder: Path) -> str | None:
    """The reliability of both halves, points as large as what they stand for."""
    if not single(trials, "held"):
        return None
    figure, axis = plt.subplots(figsize=(5.2, 4.6))
    axis.plot([0, 1], [0, 1], color="#7f8c8d", lw=0.8, ls="--", label="keeps its word")
    axis.axvspan(0, LEAST, color="#ecf0f1", zorder=0)
    axis.text(LEAST / 2, 0.95, "not advised", ha="center", fontsize=8, color="#7f8c8d")
    for part, (label, colour) in reversed(PARTS.items()):
        rows = reliability(claims(single(trials, part), fitted, least=0.0))
        if rows:
            x, y = [row.confidence for row in rows], [row.worked for row in rows]
            axis.plot(x, y, color=colour, lw=1)
            axis.scatter(x, y, s=[8 + 3 * row.count for row in rows], color=colour, label=label)
    axis.set_xlim(0, 1)
    axis.set_ylim(-0.03, 1.03)
    axis.set_xlabel("confidence that was given", fontsize=9)
    axis.set_ylabel("share of the remedies that worked", fontsize=9)
    axis.grid(alpha=0.3)
    axis.legend(fontsize=8, loc="lower right")
    figure.tight_layout()
    figure.savefig(folder / FILE, dpi=100, metadata={"Software": None})
    plt.close(figure)
    return FILE
