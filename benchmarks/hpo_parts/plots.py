"""The picture: what each rule saves against what it loses."""

from __future__ import annotations

from pathlib import Path
from typing import Any


def draw(results: dict[str, Any], folder: Path) -> Path:
    """Time saved against harmed good trials, a point per rule."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    from benchmarks.hpo_parts.page import mean

    figure, axes = pyplot.subplots(figsize=(7, 4.5), layout="constrained")
    for rule, measures in mean(results).items():
        harm = measures["lost"]["mean"] + measures["cut"]["mean"]
        spared = 1 - measures["spent"]["mean"]
        axes.plot(100 * harm, 100 * spared, "o", color="C3" if rule == "ours" else "C0")
        axes.annotate(rule, (100 * harm, 100 * spared), (6, 4), textcoords="offset points")
    axes.set_xlabel("good trials stopped or finished too early, %")
    axes.set_ylabel("time of the trials not spent, %")
    axes.margins(x=0.15)
    axes.grid(alpha=0.3)
    path = folder / "hpo.svg"
    figure.savefig(path, metadata={"Date": None})
    pyplot.close(figure)
    return path
