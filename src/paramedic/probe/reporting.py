"""What is said of a run that is being watched: its JSON report, and what was not measured."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from paramedic.diagnose.document import TrainingReport, document
from paramedic.probe.guard import Guard
from paramedic.trace import Journal, Writer

if TYPE_CHECKING:
    from paramedic.probe.monitor import Monitor


def report_of(monitor: Monitor, name: str) -> dict[str, Any]:
    """The report `paramedic/report@2` of a run as far as it has come."""
    training = TrainingReport(
        name=name,
        steps=monitor.last_step + 1,
        conclusion=monitor.conclusion,
        diagnosis=monitor.diagnosis,
        remedies=monitor.remedies,
        not_checked={**monitor.diagnosis.not_checked, **monitor.not_checked},
        overhead={key: monitor.spent[key] for key in ("share", "seconds")},
        trace=None if monitor.trace is None else str(monitor.trace),
    )
    return document(name, [training])


def unmeasured(
    guard: Guard, writer: Writer | None, journal: Journal | None, *, blind: bool, vitals_only: bool
) -> dict[str, str]:
    """What could not be measured or recorded, and why."""
    reasons = {part: f"internal error: {why}" for part, why in guard.disabled.items()}
    if blind:
        reasons["activations"] = "the model is compiled: its modules cannot be seen"
    elif vitals_only:
        reasons["activations"] = "only vitals were asked for"
    if writer is not None and writer.failure:
        reasons["recording"] = writer.failure
    if journal is not None and journal.failure:
        reasons["log"] = journal.failure
    return reasons
