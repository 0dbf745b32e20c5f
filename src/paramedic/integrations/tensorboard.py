"""TensorBoard: `watch(..., sinks=[TensorBoard("runs")])`, then `tensorboard --logdir runs`."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from paramedic.diagnose.summary import Summary
from paramedic.integrations.metrics import LAYERS, PREFIX, epoch_numbers, numbers, words
from paramedic.optional import require
from paramedic.types import Chart, Epoch, Finding, Frame, Remedy

_QUARTILES = ("min", "q1", "median", "q3", "max")


class TensorBoard:
    """Scalars, a histogram of weights and gradients per layer, and findings as text.

    Args:
        folder: where to write, or a `SummaryWriter` of yours, which is left open.
        layers: the statistics that become a scalar per layer.
        histograms: whether to write histograms. They have four bars of a quarter of the weights
            each: the quartiles of a sample are what is measured.
    """

    def __init__(
        self, folder: Any = "runs", *, layers: Sequence[str] = LAYERS, histograms: bool = True
    ) -> None:
        require("tensorboard", extra="tensorboard", needed_by="TensorBoard")
        self._mine = isinstance(folder, str | Path)
        self._folder, self._writer = folder, None if self._mine else folder
        self._layers, self._histograms = layers, histograms

    @property
    def writer(self) -> Any:
        """Opened when there is something to write."""
        if self._writer is None:
            from torch.utils.tensorboard import SummaryWriter

            self._writer = SummaryWriter(str(self._folder))
        return self._writer

    def frame(self, frame: Frame, chart: Chart) -> None:
        for name, value in numbers(frame, chart, self._layers).items():
            self.writer.add_scalar(name, value, frame.step)
        if self._histograms:
            for name, drawn in _histograms(frame, chart):
                self.writer.add_histogram_raw(name, **drawn, global_step=frame.step)

    def epoch(self, epoch: Epoch) -> None:
        for name, value in epoch_numbers(epoch).items():
            self.writer.add_scalar(name, value, epoch.epoch)

    def finding(self, finding: Finding, remedies: Sequence[Remedy]) -> None:
        self.writer.add_text(f"{PREFIX}/findings", words(finding, remedies), finding.step)

    def close(self, summary: Summary, trace: Path | None) -> None:
        self.writer.add_text(f"{PREFIX}/summary", str(summary), max(summary.step, 0))
        self.writer.flush()
        if self._mine:
            self.writer.close()


def _histograms(frame: Frame, chart: Chart) -> Iterator[tuple[str, dict[str, Any]]]:
    for kind in ("weight", "grad"):
        columns = [frame.layers.get(f"{kind}_{name}") for name in (*_QUARTILES, "mean", "var")]
        for layer, *values in zip(chart.layers, *(c for c in columns if c is not None)):  # noqa: B905
            if len(values) < len(columns) or not all(map(math.isfinite, values)):
                continue
            least, *limits, mean, variance = map(float, values)
            count = layer.parameters
            yield f"{PREFIX}/{kind}/{layer.name or layer.kind}", {
                "min": least, "max": limits[-1], "num": count, "sum": mean * count,
                "sum_squares": (variance + mean**2) * count,
                "bucket_limits": limits, "bucket_counts": [count / 4] * 4,
            }  # fmt: skip
