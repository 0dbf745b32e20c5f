"""The two pictures of the page."""

from __future__ import annotations

from pathlib import Path

import matplotlib as mpl

mpl.use("Agg")
import matplotlib.pyplot as plt

from paramedic.diagnose.rules import DEFAULT, rule_sets

from .counting import by_slug, calm, delay, tally
from .goals import DELAY
from .naming import codes
from .runs import Judged, healthy, of_half, sick
from .tables import TITLES

COLOURS = {
    "sick runs: anything found": "#bdc3c7",
    "sick runs: sickness among the findings": "#7f8c8d",
    "sick runs: sickness named first": "#2c3e50",
    "healthy runs: warned": "#c0392b",
}
HALVES = {"judging": "#2c3e50", "tuning": "#95a5a6"}
DPI = 100


def draw(judged: list[Judged], folder: Path) -> list[tuple[str, str]]:
    """Draw what was measured; file names with what they show."""
    drawn = []
    half = of_half(judged, "judging")
    if sick(half) and healthy(half):
        _sets(half, folder / "detection.sets.png")
        drawn.append(("detection.sets.png", "What four rule sets say of sick and healthy runs"))
    if any(_delays(runs) for runs in by_slug(judged).values()):
        _strips(judged, folder / "detection.delays.png")
        drawn.append(("detection.delays.png", "How long each sickness went unnoticed"))
    return drawn


def _save(figure: plt.Figure, path: Path) -> None:
    figure.tight_layout()
    figure.savefig(path, dpi=DPI, metadata={"Software": None})
    plt.close(figure)


def _shares(half: list[Judged], name: str) -> list[float]:
    counted, sound = tally(half, name), calm(half, name)
    ours = [counted.noticed, counted.found, counted.named]
    return [*(100 * count / counted.runs for count in ours), 100 * sound.alarmed / sound.runs]


def _sets(half: list[Judged], path: Path) -> None:
    figure, axis = plt.subplots(figsize=(8.5, 3.8))
    names = rule_sets()
    shares = [_shares(half, name) for name in names]
    width = 0.8 / len(COLOURS)
    for index, (label, colour) in enumerate(COLOURS.items()):
        places = [group + (index - 1.5) * width for group in range(len(names))]
        heights = [values[index] for values in shares]
        bars = axis.bar(places, heights, width, label=label, color=colour)
        axis.bar_label(bars, fmt="%.0f", fontsize=7)
    axis.set_xticks(range(len(names)), [TITLES.get(name, name) for name in names])
    axis.set_ylim(0, 112)
    axis.set_ylabel("% of the runs of the judging half", fontsize=8)
    axis.legend(fontsize=7, ncols=2, loc="lower center", bbox_to_anchor=(0.5, 1.0), frameon=False)
    _save(figure, path)


def _delays(runs: list[Judged]) -> list[float]:
    values = (delay(one.run, one.outcomes[DEFAULT]) for one in runs)
    return [value for value in values if value is not None]


def _strips(judged: list[Judged], path: Path) -> None:
    groups = by_slug(judged)
    figure, axis = plt.subplots(figsize=(8.5, 1 + 0.27 * len(groups)))
    for half, colour in HALVES.items():
        shift = 0.15 if half == "tuning" else -0.15
        points = [
            (value, row + shift)
            for row, runs in enumerate(groups.values())
            for value in _delays(of_half(runs, half))
        ]
        if points:
            style = {"s": 14, "color": colour, "alpha": 0.7, "linewidths": 0}
            axis.scatter(*zip(*points, strict=True), label=f"{half} half", **style)
    axis.axvline(DELAY, color="#c0392b", lw=0.8, ls="--", label="goal for G, A, N, O and D")
    axis.set_yticks(range(len(groups)), [f"{codes()[slug]} {slug}" for slug in groups], fontsize=7)
    axis.set_ylim(len(groups) - 0.4, -0.6)
    axis.set_xlabel("delay from the onset, as a share of the planned steps", fontsize=8)
    axis.grid(alpha=0.3, axis="x")
    axis.legend(fontsize=7, ncols=3, loc="lower center", bbox_to_anchor=(0.5, 1.0), frameon=False)
    _save(figure, path)
