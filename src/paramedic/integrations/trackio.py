"""trackio, W&B's verbs on your own disk: `watch(..., sinks=[Trackio("project")])`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from paramedic.diagnose.summary import Summary
from paramedic.integrations.metrics import LAYERS, PREFIX, epoch_numbers, numbers, words
from paramedic.optional import require
from paramedic.types import Chart, Epoch, Finding, Frame, Remedy, Severity

_LEVELS = {Severity.INFO: "INFO", Severity.WARNING: "WARN", Severity.CRITICAL: "ERROR"}


class Trackio:
    """Metrics by step, and an alert per finding; `trackio show` is the dashboard.

    Args:
        project: of a run that is begun (and finished) by us. If you have begun a run yourself,
            that one is used and left open.
        layers: the statistics that become a metric per layer.
        settings: everything else that `trackio.init` takes: `name`, `config` …
    """

    def __init__(
        self, project: str = "paramedic", *, layers: Sequence[str] = LAYERS, **settings: Any
    ) -> None:
        self._trackio = require("trackio", extra="trackio", needed_by="Trackio")
        self._settings = {"project": project, **settings}
        self._layers = layers
        self._run: Any = None
        self._mine = False

    @property
    def run(self) -> Any:
        """Yours, or one that is begun when there is something to log."""
        if self._run is None:
            current = self._trackio.context_vars.current_run.get()
            self._mine = current is None
            self._run = self._trackio.init(**self._settings) if self._mine else current
        return self._run

    def frame(self, frame: Frame, chart: Chart) -> None:
        self.run.log(numbers(frame, chart, self._layers), step=frame.step)

    def epoch(self, epoch: Epoch) -> None:
        self.run.log(epoch_numbers(epoch), step=max(epoch.step, 0))

    def finding(self, finding: Finding, remedies: Sequence[Remedy]) -> None:
        if finding.severity is not Severity.INFO:
            level = self._trackio.AlertLevel[_LEVELS[finding.severity]]
            text = words(finding, remedies)
            self.run.alert(f"{PREFIX}: {finding.slug}", text, level, finding.step)

    def close(self, summary: Summary, trace: Path | None) -> None:
        self.run.log({f"{PREFIX}/verdict": str(summary.condition.verdict)})
        if self._mine:
            self._trackio.finish()
