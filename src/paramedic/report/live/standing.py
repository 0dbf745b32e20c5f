"""How a run stands, by its trace alone: what its monitor noted last, and when.

A live run is not judged again here: its own monitor does that, notes what it found, and ends the
notes when it is closed.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from paramedic.diagnose.condition import tone
from paramedic.report.view.judgement import NOTED
from paramedic.trace import Trace, TraceError
from paramedic.types import Verdict

QUIET = 60.0  # seconds without news, after which that is said

RUNNING, ENDED, SILENT, EMPTY, DAMAGED, GONE, UNREAD = (
    "running", "ended", "silent", "empty", "damaged", "gone", "unread"
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Standing:
    """What the monitor noted: the verdict (empty: not judged yet), the trend of the loss, the slug
    of the likely cause, and, under `told`, the diagnosis with its cases and remedies."""

    verdict: str = ""
    trend: str = ""
    root: str = ""
    ended: bool = False
    fault: bool = False
    told: Mapping[str, Any] = field(default_factory=dict)

    @property
    def tone(self) -> str:
        """`healthy`, `warning`, `critical`, `unjudged`, or `unknown` before the first note."""
        known = self.verdict in {str(one) for one in Verdict}
        return tone(Verdict(self.verdict), fault=self.fault) if known else "unknown"


def read(trace: Trace) -> Standing:
    """The newest note of a run; that of its end, if it has come to it."""
    noted = _noted(trace)
    if noted is None:
        return Standing()
    found = _checked(trace, noted)
    names = (*NOTED, "spent")
    told = {name: trace.meta(name) if found.ended else noted.get(name) for name in names}
    return replace(found, told=told)


def brief(trace: Trace) -> Standing:
    """The same without the diagnosis: for the list, which reads little of each trace."""
    noted = _noted(trace)
    return Standing() if noted is None else _checked(trace, noted)


def _noted(trace: Trace) -> Any:
    noted = trace.meta("standing")
    diagnosis = trace.meta("diagnosis") if noted is None else None
    return noted if diagnosis is None else _of_the_end(diagnosis, trace.meta("assessment"))


def _checked(trace: Trace, noted: Any) -> Standing:
    try:
        verdict, trend, root = (_word(noted.get(name)) for name in ("verdict", "trend", "root"))
        ended, fault = bool(noted.get("ended")), noted.get("fault") is True
        return Standing(verdict, trend, root, ended=ended, fault=fault)
    except AttributeError as error:
        raise TraceError(trace.path, "is damaged: its note of how the run stands.") from error


def state(standing: Standing, age: float) -> str:
    """Whether the run goes on, `age` seconds after its trace has changed last."""
    if standing.ended:
        return ENDED
    return RUNNING if age < QUIET else SILENT


def words(state: str, age: float, *, trend: str = "", problem: str = "") -> str:
    """What to say of the state of a run, to somebody who waits for news of it."""
    return {
        RUNNING: f"Running; {trend}." if trend else "Running.",
        ENDED: f"Ended; {trend.replace(' is ', ' was ', 1)}." if trend else "Ended.",
        SILENT: (
            f"No news for {duration(age)}, and the trace was not closed: the program was killed, "
            "or a step of it takes that long."
        ),
        UNREAD: "Reading …",
        EMPTY: "Nothing is recorded yet.",
        DAMAGED: f"The trace {problem}",
        GONE: "The trace was deleted or moved; this is what was read of it.",
    }[state]


def duration(seconds: float) -> str:
    """A time in its largest unit."""
    for length, unit in ((86400.0, "day"), (3600.0, "hour"), (60.0, "minute")):
        if seconds >= length:
            count = math.floor(seconds / length)
            return f"{count} {unit}{'s' if count != 1 else ''}"
    return f"{max(math.floor(seconds), 0)} seconds"


def _of_the_end(diagnosis: Any, assessment: Any) -> dict[str, Any]:
    """The same for a trace whose monitor noted only its end."""
    found = diagnosis if isinstance(diagnosis, Mapping) else {}
    root = found.get("root")
    slug = root.get("slug") if isinstance(root, Mapping) else ""
    verdict = assessment.get("verdict") if isinstance(assessment, Mapping) else ""
    return {"verdict": verdict, "root": slug, "ended": True}


def _word(value: Any) -> str:
    return value if isinstance(value, str) else ""
