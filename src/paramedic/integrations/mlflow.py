"""MLflow: `watch(..., sinks=[MLflow("experiment")])`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from paramedic.diagnose.summary import Summary
from paramedic.integrations.metrics import LAYERS, PREFIX, epoch_numbers, numbers, page_of, words
from paramedic.optional import require
from paramedic.types import Chart, Epoch, Finding, Frame, Remedy

_FORBIDDEN = re.compile(r"[^\w\-. /]")  # in the name of a metric
_MOST = 1000  # metrics that a server takes at once


class MLflow:
    """Metrics by step, the health and the findings as tags, findings and report as artifacts.

    Args:
        experiment: of a run that is begun (and ended) by us. If you have begun a run yourself,
            that one is used and left open.
        artifacts: whether the findings as text, the trace and its report are attached at the end.
        layers: the statistics that become a metric per layer.
    """

    def __init__(
        self, experiment: str | None = None, *, artifacts: bool = True,
        layers: Sequence[str] = LAYERS,
    ) -> None:  # fmt: skip
        self._mlflow: Any = require("mlflow", extra="mlflow", needed_by="MLflow")
        self._experiment, self._artifacts, self._layers = experiment, artifacts, layers
        self._run, self._mine = "", False
        self._told: list[str] = []

    def _begin(self) -> None:
        """Not by `set_experiment`, which would hold for runs of yours, too."""
        if self._run:
            return
        active, name = self._mlflow.active_run(), self._experiment
        self._mine = active is None
        if active is None:
            known = None if name is None else self._mlflow.get_experiment_by_name(name)
            place = known.experiment_id if known else name and self._mlflow.create_experiment(name)
            active = self._mlflow.start_run(experiment_id=place)
        self._run = active.info.run_id

    def frame(self, frame: Frame, chart: Chart) -> None:
        self._log(numbers(frame, chart, self._layers), frame.step)

    def epoch(self, epoch: Epoch) -> None:
        self._log(epoch_numbers(epoch), epoch.epoch)

    def _log(self, values: dict[str, float], step: int) -> None:
        self._begin()
        items = [(_FORBIDDEN.sub("_", name), value) for name, value in values.items()]
        for start in range(0, len(items), _MOST):
            some = dict(items[start : start + _MOST])
            self._mlflow.log_metrics(some, step=step, run_id=self._run)

    def finding(self, finding: Finding, remedies: Sequence[Remedy]) -> None:
        self._begin()
        self._told.append(words(finding, remedies))
        self._mlflow.set_tag(f"{PREFIX}.{finding.slug}", f"step {finding.step}: {finding.message}")

    def close(self, summary: Summary, trace: Path | None) -> None:
        self._begin()
        self._mlflow.set_tag(f"{PREFIX}.verdict", str(summary.condition.verdict))
        if self._artifacts:
            if self._told:
                self._mlflow.log_text("\n\n".join(self._told), f"{PREFIX}/findings.md")
            for file in (trace, page_of(trace)):
                if file is not None:
                    self._mlflow.log_artifact(str(file), PREFIX)
        if self._mine:
            self._mlflow.end_run()
