from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from paramedic.diagnose.summary import Summary
from paramedic.types import Chart, Epoch, Finding, Frame, Remedy, Severity, Verdict
from tests.integrations.runs import watched


class Listener:
    """A sink that remembers."""

    def __init__(self) -> None:
        self.findings: list[Finding] = []
        self.ends: list[Summary] = []

    def frame(self, frame: Frame, chart: Chart) -> None: ...

    def epoch(self, epoch: Epoch) -> None: ...

    def finding(self, finding: Finding, remedies: Sequence[Remedy]) -> None:
        self.findings.append(finding)

    def close(self, summary: Summary, trace: Path | None) -> None:
        self.ends.append(summary)


def test_a_sink_gets_the_likely_cause_once_and_the_verdict() -> None:
    sink = Listener()
    monitor = watched(sink)
    assert monitor.verdict is Verdict.DIVERGED
    (finding,) = sink.findings
    assert (finding.slug, finding.severity) == ("abnormal-data", Severity.WARNING)
    assert finding.message.startswith("diverged: the loss is not finite")
    assert "Most likely cause (not proven): " in finding.message
    (end,) = sink.ends
    assert (end.condition.verdict, end.condition.root) == (Verdict.DIVERGED, "abnormal-data")
