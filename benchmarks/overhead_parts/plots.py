"""The three pictures of the page."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import matplotlib as mpl

mpl.use("Agg")
import matplotlib.pyplot as plt
from matplotlib.axes import Axes

from .numbers import WORKLOAD_NAMES, added, long_runs, ratio

OURS, THEIRS, PLAIN = "#c0392b", "#7f8c8d", "#2c3e50"
COLOURS = {"clip": THEIRS, "watch-vitals": "#e67e22", "watch-full": OURS}
LONG = {"watch": PLAIN, "watch-full": OURS}
DPI = 100


def draw(parts: dict[str, Any], folder: Path) -> list[tuple[str, str]]:
    """Draw what was measured; file names with what they show."""
    drawn = []
    if names := [name for name in WORKLOAD_NAMES if parts.get(name, {}).get("variants")]:
        _ratios(parts, names, folder / "overhead.ratios.png")
        drawn.append(("overhead.ratios.png", "Step time of each variant over the plain loop"))
    if sweeps := [parts[a] for a in ("parameters", "tensors") if parts.get(a, {}).get("points")]:
        _sweeps(sweeps, folder / "overhead.sweep.png")
        drawn.append(("overhead.sweep.png", "The cost of one look against the size of the model"))
    if long_runs(parts.get("flatness")):
        _flatness(parts["flatness"], folder / "overhead.flatness.png")
        drawn.append(("overhead.flatness.png", "Time per step and memory over a long run"))
    return drawn


def _save(figure: plt.Figure, path: Path) -> None:
    figure.tight_layout()
    figure.savefig(path, dpi=DPI, metadata={"Software": None})
    plt.close(figure)


def _ratios(parts: dict[str, Any], names: list[str], path: Path) -> None:
    figure, axes = plt.subplots(1, len(names), figsize=(3 + 2.6 * len(names), 4.2), sharey=True)
    for axis, name in zip(axes if len(names) > 1 else [axes], names, strict=True):
        _bars(axis, parts[name])
        axis.set_title(f"{name}\n{parts[name]['title']}", fontsize=7)
    _save(figure, path)


def _bars(axis: Axes, part: dict[str, Any]) -> None:
    titles = [(key, title) for key, title in part["titles"].items() if ratio(part, key)]
    for row, (variant, _) in enumerate(titles):
        seen = ratio(part, variant)
        colour = OURS if variant.startswith("watch") else THEIRS
        errors = [[seen.middle - seen.lower], [seen.upper - seen.middle]]
        axis.barh(row, seen.middle - 1, left=1, color=colour, xerr=errors, error_kw={"lw": 0.8})
        axis.text(max(seen.upper, 1) * 1.05, row, f"{seen.middle:.2f}", fontsize=7, va="center")
    axis.set_yticks(range(len(titles)), [title.replace("`", "") for _, title in titles], fontsize=7)
    axis.set_ylim(len(titles) - 0.4, -0.6)
    axis.set_xscale("log")
    axis.set_xlim(0.9, 2.2 * axis.get_xlim()[1])
    axis.axvline(1, color=PLAIN, lw=0.8)
    ticks = [tick for tick in (1, 2, 5, 10, 20, 50, 100) if tick < axis.get_xlim()[1]]
    axis.set_xticks(ticks, [str(tick) for tick in ticks], fontsize=7)
    axis.minorticks_off()
    axis.set_xlabel("step time over the plain loop", fontsize=7)


def _sweeps(sweeps: list[dict[str, Any]], path: Path) -> None:
    figure, axes = plt.subplots(1, len(sweeps), figsize=(4.5 * len(sweeps), 3.4), squeeze=False)
    for axis, part in zip(axes[0], sweeps, strict=True):
        for variant in part["points"][0]["added_seconds"]:
            points = [(p[part["axis"]], 1e3 * cost) for p, cost in added(part, variant) if cost > 0]
            if points:
                label = "clip_grad_norm_" if variant == "clip" else variant
                axis.loglog(*zip(*points, strict=True), "o-", label=label, color=COLOURS[variant])
        axis.set_xlabel(f"number of {part['axis']}")
        axis.set_ylabel("added to a step, ms")
        axis.grid(alpha=0.3)
        axis.legend(fontsize=8)
    _save(figure, path)


def _flatness(part: dict[str, Any], path: Path) -> None:
    figure, (time, memory) = plt.subplots(1, 2, figsize=(9, 3.4))
    for variant, run in long_runs(part).items():
        tenths = [10 * (index + 1) for index in range(len(run["seconds"]))]
        steps = run["chunk_steps"] * len(tenths)
        style = {"marker": "o", "ms": 3, "lw": 1.2, "color": LONG[variant]}
        time.plot(tenths, run["ratio"], label=f"{variant}, {steps:,} steps", **style)
        memory.plot(tenths, [size / 2**20 for size in run["resident"]], label=variant, **style)
        base = [size / 2**20 for size in run["plain_resident"]]
        memory.plot(tenths, base, label=f"plain, beside {variant}", **{**style, "ls": "--"})
    for axis, label in ((time, "step time over the plain loop"), (memory, "resident memory, MiB")):
        axis.set_xlabel("% of the run")
        axis.set_ylabel(label)
        axis.grid(alpha=0.3)
        axis.set_ylim(0, 1.15 * axis.get_ylim()[1])
        axis.legend(fontsize=8)
    _save(figure, path)
