"""Judging a recorded run again, under any rules."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from paramedic.diagnose.case import Case
from paramedic.diagnose.causes import Diagnosis
from paramedic.diagnose.conclusion import Conclusion
from paramedic.diagnose.detector import Detector
from paramedic.diagnose.document import TrainingReport
from paramedic.diagnose.engine import Engine
from paramedic.diagnose.rules import DEFAULT, choose
from paramedic.trace.reader import Trace
from paramedic.trace.replay import tell
from paramedic.types import Finding, Remedy, Window


@dataclass(frozen=True, slots=True)
class Replay:
    """What the rules say of a recorded run."""

    run: str
    rules: str
    frames: int
    last_step: int
    diagnosis: Diagnosis
    cases: tuple[Case, ...]
    conclusion: Conclusion
    remedies: tuple[Remedy, ...] = ()  # what to do, the best first

    @property
    def findings(self) -> tuple[Finding, ...]:
        """Everything that holds, the root first."""
        return self.diagnosis.findings

    def report(self) -> TrainingReport:
        """What is reported of it."""
        return TrainingReport(
            name=self.run,
            steps=self.last_step + 1,
            conclusion=self.conclusion,
            diagnosis=self.diagnosis,
            remedies=self.remedies,
            not_checked=self.diagnosis.not_checked,
            trace=self.run,
        )

    def to_json(self) -> dict[str, Any]:
        """Plain values."""
        return {
            "run": self.run,
            "rules": self.rules,
            "frames": self.frames,
            "last_step": self.last_step,
            **self.conclusion.to_json(),
            "diagnosis": self.diagnosis.to_json(),
            "cases": [case.to_json() for case in self.cases],
            "remedies": [remedy.to_json() for remedy in self.remedies],
        }


class Adviser(Protocol):
    """Whoever knows what to do: sees each finding when it is told, and is asked at the end."""

    def see(self, finding: Finding, window: Window) -> object: ...
    def remedies(self, diagnosis: Diagnosis, window: Window) -> tuple[Remedy, ...]: ...


def replay(
    run: str | os.PathLike[str],
    rules: str = DEFAULT,
    *,
    select: Sequence[str] = (),
    ignore: Sequence[str] = (),
    thresholds: Mapping[str, Mapping[str, Any]] | None = None,
    adviser: Callable[[Sequence[Detector]], Adviser] | None = None,
    **settings: Mapping[str, Any],
) -> Replay:
    """Judge a recorded run, as a live run would have been judged.

    Args:
        run: the trace.
        rules: the rule set: `default`, `autotrainer`, `bttackler` or `training-doctor`.
        select: only these detectors, by code (`G001`), family (`G`) or slug.
        ignore: not these detectors.
        thresholds: other thresholds than the defaults: `{"vanishing-gradient": {"ratio": 1e-4}}`.
        adviser: makes who is asked for remedies; nobody if not given.
        **settings: the same by code: `G001={"ratio": 1e-4}`.

    Example:
        >>> paramedic.replay("run.db", G001={"ratio": 1e-4}).diagnosis.root  # doctest: +SKIP
    """
    given = {**(thresholds or {}), **settings}
    detectors = choose(rules, select=select, ignore=ignore, settings=given)
    asked = adviser(detectors) if adviser else None

    def on_open(case: Case) -> None:
        if asked is not None:
            asked.see(case.finding, engine.window())

    # The other systems judge at every look; ours is told what matters by fewer examinations.
    engine = Engine(detectors, every_frame=rules != DEFAULT, on_open=on_open)
    with Trace.open(run) as trace:
        frames = tell(trace, engine)
        last = trace.last_step
    diagnosis, cases = engine.diagnosis(), tuple(engine.cases)
    remedies = asked.remedies(diagnosis, engine.window()) if asked is not None else ()
    conclusion = engine.conclusion()
    return Replay(os.fspath(run), rules, frames, last, diagnosis, cases, conclusion, remedies)
