"""Weights & Biases: `watch(..., sinks=[WandB("project")])`, online or with `mode="offline"`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from paramedic.diagnose.summary import Summary
from paramedic.integrations.metrics import LAYERS, PREFIX, epoch_numbers, numbers, page_of, words
from paramedic.optional import require
from paramedic.types import Chart, Epoch, Finding, Frame, Remedy, Severity

_LEVELS = {Severity.INFO: "INFO", Severity.WARNING: "WARN", Severity.CRITICAL: "ERROR"}
_TITLE = 63  # characters of the title of an alert


class WandB:
    """Metrics over `paramedic/step`, an alert per finding, and the HTML report as an artifact.

    Args:
        project: the project of a run that is begun (and finished) by us. If you have begun a run
            yourself, that one is used and left open.
        alerts: whether findings become alerts; mere notes never do.
        report: whether the report of the trace is attached; it needs `watch(trace=…)`.
        layers: the statistics that become a metric per layer.
        settings: everything else that `wandb.init` takes: `mode="offline"`, `name`, `dir` …
    """

    def __init__(
        self, project: str | None = None, *, alerts: bool = True, report: bool = True,
        layers: Sequence[str] = LAYERS, **settings: Any,
    ) -> None:  # fmt: skip
        self._wandb = require("wandb", extra="wandb", needed_by="WandB")
        self._settings = {"project": project, **settings}
        self._alerts, self._report, self._layers = alerts, report, layers
        self._run: Any = None
        self._mine = False

    @property
    def run(self) -> Any:
        """Yours, or one that is begun when there is something to log."""
        if self._run is None:
            self._mine = self._wandb.run is None
            self._run = self._wandb.init(**self._settings) if self._mine else self._wandb.run
            self._run.define_metric(f"{PREFIX}/step", hidden=True)
            self._run.define_metric(f"{PREFIX}/*", step_metric=f"{PREFIX}/step")
        return self._run

    def frame(self, frame: Frame, chart: Chart) -> None:
        self._log(numbers(frame, chart, self._layers), frame.step)

    def epoch(self, epoch: Epoch) -> None:
        self._log(epoch_numbers(epoch), epoch.step)

    def _log(self, values: dict[str, float], step: int) -> None:
        """Without a step of W&B's own, which is yours to count."""
        self.run.log({f"{PREFIX}/step": step, **values})

    def finding(self, finding: Finding, remedies: Sequence[Remedy]) -> None:
        if self._alerts and finding.severity is not Severity.INFO:
            title, level = f"paramedic: {finding.slug}"[:_TITLE], _LEVELS[finding.severity]
            self.run.alert(title, words(finding, remedies), level)

    def close(self, summary: Summary, trace: Path | None) -> None:
        run = self.run
        run.summary[f"{PREFIX}/verdict"] = str(summary.condition.verdict)
        run.summary[f"{PREFIX}/findings"] = [finding.slug for finding in summary.findings]
        page = page_of(trace) if self._report else None
        if page is not None:
            run.log_artifact(str(page), name=f"{PREFIX}-report", type="report")
        if self._mine:
            run.finish()
