"""Measures one task of each part."""

from __future__ import annotations

import math
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import paramedic

from .plan import EMERGENCY, FOREVER, MODES, SOON, Task
from .training import Shot, Watch, train

PAPER = "training-doctor"
_PAPERS = {  # the paper's own names of the two injections
    "exploding-gradient": "training-doctor-gradient-explosion",
    "vanishing-gradient": "training-doctor-vanishing-gradient",
}
Result = dict[str, Any]


def measure(task: Task) -> Result:
    """What came of a task."""
    return _PARTS[task.part](task)


def unwatched(task: Task) -> Result:
    """The same run without us, with its faults or without any."""
    return {"loss": train(task.patient, None, _shots(task))["loss"]}


def _shots(task: Task) -> Sequence[Shot]:
    return [
        replace(shot, duration=math.inf) if shot.duration == FOREVER else shot
        for shot in task.shots
    ]


def _identity(task: Task) -> Result:
    plain = train(task.patient)
    watched = train(task.patient, Watch(MODES[task.mode], treat="off"))
    every = train(task.patient, Watch(None, treat="off"))
    same = plain["digest"] == watched["digest"] == every["digest"]
    return {"same": same, "loss": plain["loss"], "losses": [watched["loss"], every["loss"]]}


def _injection(task: Task) -> Result:
    """When it was found, by its name; and the same by the paper's rules, where every step was
    looked at."""
    with tempfile.TemporaryDirectory(prefix="doctor-") as folder:
        trace = Path(folder) / "run.db" if MODES[task.mode] is None else None
        found = train(task.patient, Watch(MODES[task.mode], trace=trace), _shots(task), task.until)
        wanted, at = task.labels["fault"], task.labels["at"]
        delays = [step - at for step, slug in found["found"] if slug == wanted and step >= at]
        return {
            "delay": min(delays, default=None),
            "before": [slug for step, slug in found["told"] if step < at],
            "found_before": [slug for step, slug in found["found"] if step < at],
            "root": found["root"],
            "found": found["found"],
            "told": found["told"],
            "verdict": found["verdict"],
            "looks": found["looks"],
            "paper": None if trace is None else _papers_delay(trace, wanted, at),
        }


def _papers_delay(trace: Path, wanted: str, at: int) -> int | None:
    """Steps until the paper's rule holds; one that held already counts as found at once."""
    verdict = paramedic.replay(trace, rules=PAPER)
    mine = [case for case in verdict.cases if case.finding.slug == _PAPERS[wanted]]
    after = [max(case.opened - at, 0) for case in mine if case.seen >= at]
    soon = [delay for delay in after if delay <= SOON]
    return min(soon, default=None)


def _alarm(task: Task) -> Result:
    """What is found and told in a run in which nothing is wrong: by us, and by the paper's rules
    at the same steps."""
    with tempfile.TemporaryDirectory(prefix="doctor-") as folder:
        trace = Path(folder) / "run.db" if MODES[task.mode] is None else None
        found = train(task.patient, Watch(MODES[task.mode], trace=trace))
        paper = [] if trace is None else paramedic.replay(trace, rules=PAPER).cases
        return {
            "warnings": found["told"],
            "found": found["found"],
            "verdict": found["verdict"],
            "paper": [[case.opened, case.finding.slug] for case in paper],
            "loss": found["loss"],
            "share": found["share"],
            "looks": found["looks"],
        }


def _dual(task: Task) -> Result:
    """What a watched run reports, and what a treated run needs."""
    at = task.labels["at"]
    asked = range(at, at + EMERGENCY + 1)
    watched = train(task.patient, Watch(None, emergencies=asked), _shots(task), asked.stop)
    treated = train(task.patient, Watch(treat="auto"), _shots(task))
    return {
        "emergencies": watched["emergencies"],
        "found": watched["found"],
        "treated": treated["loss"],
        "interventions": treated["interventions"],
    }


def _rescue(task: Task) -> Result:
    treated = train(task.patient, Watch(MODES[task.mode], treat="auto"), _shots(task))
    return {
        "treated": treated["loss"],
        "interventions": treated["interventions"],
    }


_PARTS: dict[str, Callable[[Task], Result]] = {
    "identity": _identity,
    "injection": _injection,
    "alarm": _alarm,
    "dual": _dual,
    "rescue": _rescue,
}
