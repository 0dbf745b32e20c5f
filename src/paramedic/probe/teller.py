"""Telling the user: through the logger `paramedic` and, if asked for, a log of JSON lines."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from pathlib import Path

from paramedic.diagnose.conclusion import Conclusion
from paramedic.diagnose.summary import Summary
from paramedic.probe import ranks
from paramedic.probe.isolation import logger
from paramedic.trace import Journal
from paramedic.types import Chart, Event, Finding, Remedy


class Teller:
    """One of all ranks tells; the others are silent."""

    def __init__(self, log: str | Path | None) -> None:
        self._silent = ranks.rank() != 0
        self.journal = None if log is None or self._silent else Journal(log)

    def start(self, chart: Chart) -> None:
        """The run begins."""
        if self.journal is not None:
            layers = {"layers": len(chart.layers), "device": chart.device}
            self.journal.write("start", 0, {**layers, "versions": chart.versions})

    def finding(self, finding: Finding, remedies: Sequence[Remedy]) -> None:
        """Something was found: evidence, for the log."""
        if self._silent:
            return
        if self.journal is not None:
            data = {**finding.to_json(), "kind": "finding", "worth": finding.kind.value}
            self.journal.write("finding", finding.step, data)
            for remedy in remedies:
                data = {"finding": finding.slug, **remedy.to_json()}
                self.journal.write("remedy", finding.step, data)

    def announce(self, finding: Finding) -> None:
        """Something is reported to the user."""
        if not self._silent:
            logger.warning("%s (%s): %s", finding.slug, finding.code, finding.message)

    def intervention(self, event: Event) -> None:
        """Somebody acted, or wanted to."""
        if self._silent:
            return
        logger.warning("%s", event.message)
        if self.journal is not None:
            self.journal.write("intervention", event.step, {"message": event.message, **event.data})

    def epoch(self, summarize: Callable[[], Summary]) -> None:
        """An epoch has ended. What is there to say is only asked for if somebody listens."""
        if self._silent or not (self.journal is not None or logger.isEnabledFor(logging.INFO)):
            return
        summary = summarize()
        logger.info("%s", summary)
        if self.journal is not None:
            self.journal.write("epoch", summary.step, {"text": str(summary), **summary.to_json()})

    def end(self, summary: Summary, conclusion: Conclusion) -> None:
        """The run is over."""
        if self._silent:
            return
        level = logging.WARNING if conclusion.failed else logging.INFO
        logger.log(level, "The end. %s %s.", summary, conclusion.assessment)
        if self.journal is not None:
            data = {"text": str(summary), **summary.to_json()}
            self.journal.write("end", summary.step, data, last=True)
            self.journal.close()
