"""The two pictures of the page: curves before and after, and what repairs cost."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import matplotlib as mpl

mpl.use("Agg")
import matplotlib.pyplot as plt

from .cases import PROBLEMS
from .results import NAMES, Results, Row

BEFORE, AFTER = "#c0392b", "#2c3e50"
DPI = 100


def draw(results: Results, folder: Path) -> list[tuple[str, str]]:
    """Draw what was measured; file names with what they show."""
    drawn = []
    shown = _examples(results)
    if shown:
        _curves(shown, folder / "repair.curves.png")
        drawn.append(("repair.curves.png", "Validation accuracy before and after, by problem"))
    if results.sick():
        _costs(results, folder / "repair.costs.png")
        drawn.append(("repair.costs.png", "What repairs cost, in trainings"))
    return drawn


def _examples(results: Results) -> list[Row]:
    """Of each problem the repaired case with the median gain."""
    shown = []
    for problem in PROBLEMS:
        rows = [row for row in results.sick() if row.case.problem == problem and row.repaired]
        rows.sort(key=lambda row: row.gain)
        shown += rows[len(rows) // 2 :][:1]
    return shown


def _curves(rows: list[Row], path: Path) -> None:
    figure, axes = plt.subplots(2, 4, figsize=(11, 5), sharey=True, squeeze=False)
    for axis, row in zip(axes.flat, rows, strict=False):
        chosen = row.outcome["attempts"][row.outcome["chosen"]]
        _line(axis, row.untouched["curve"], BEFORE, "untouched")
        _line(axis, chosen["curve"], AFTER, "repaired")
        axis.set_title(f"{NAMES[row.case.problem]}\n{row.case.name}", fontsize=8)
        axis.set_ylim(0, 1)
    for axis in axes.flat[len(rows) :]:
        axis.set_visible(False)
    for axis in axes[-1]:
        axis.set_xlabel("epoch")
    axes[0, 0].set_ylabel("accuracy")
    axes[0, 0].legend(fontsize=7)
    _save(figure, path)


def _line(axis: Any, curve: list[dict[str, Any]], colour: str, label: str) -> None:
    known = [point for point in curve if point["metric"] is not None]
    epochs = [point["epoch"] for point in known]
    axis.plot(epochs, [point["metric"] for point in known], color=colour, label=label, lw=1.2)


def _costs(results: Results, path: Path) -> None:
    figure, axis = plt.subplots(figsize=(8.5, 3.2))
    for place, problem in enumerate(PROBLEMS):
        costs = [row.cost for row in results.sick() if row.case.problem == problem]
        axis.plot(costs, [place] * len(costs), "o", color=AFTER, alpha=0.5, ms=5)
    axis.set_yticks(range(len(PROBLEMS)), [NAMES[problem] for problem in PROBLEMS], fontsize=8)
    axis.axvline(1.6, color=BEFORE, lw=1, ls="--")
    axis.set_xlabel("samples trained on, over those of one untouched run (dashed: the goal)")
    axis.set_xlim(left=0)
    axis.invert_yaxis()
    _save(figure, path)


def _save(figure: Any, path: Path) -> None:
    figure.tight_layout()
    figure.savefig(path, dpi=DPI, metadata={"Software": None})
    plt.close(figure)
