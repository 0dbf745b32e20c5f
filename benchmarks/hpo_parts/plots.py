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

    figure, axes = pyplot.subplots(figsize=(10, 5), layout="constrained")
    points = {rule: _place(measures) for rule, measures in mean(results).items()}
    for rule, (harm, spared) in points.items():
        axes.plot(harm, spared, "o", color="C3" if rule == "ours" else "C0")
        # A name begins at its point: below it, if one to the left of it is about as high.
        crowded = any(left < harm and abs(high - spared) < 3 for left, high in points.values())
        offset = (6, -12) if crowded else (6, 4)
        axes.annotate(rule, (harm, spared), offset, textcoords="offset points")
    axes.set_xlabel("good trials stopped or finished too early, %")
    axes.set_ylabel("time of the trials not spent, %")
    axes.margins(x=0.2)
    axes.grid(alpha=0.3)
    path = folder / "hpo.svg"
    figure.savefig(path, metadata={"Date": None})
    pyplot.close(figure)
    return path


def _place(measures: dict[str, Any]) -> tuple[float, float]:
    """The harm and the time not spent, in percent."""
    harm = measures["lost"]["mean"] + measures["cut"]["mean"]
    return 100 * harm, 100 * (1 - measures["spent"]["mean"])
