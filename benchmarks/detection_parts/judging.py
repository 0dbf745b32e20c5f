"""Replays recorded runs under every rule set, in processes of their own."""

from __future__ import annotations

import logging
import multiprocessing
import time
import traceback
import warnings
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from paramedic import replay
from paramedic.diagnose.case import Case
from paramedic.diagnose.causes import Diagnosis
from paramedic.diagnose.conclusion import Conclusion
from paramedic.diagnose.rules import DEFAULT, choose, rule_sets
from paramedic.trace import Trace
from paramedic.trace.replay import tell
from paramedic.types import Kind, Severity

from .naming import SPARSE
from .runs import Judged, Outcome, Run
from .telling import TellingEngine

EVERY = 10  # the sparse look: one frame in so many
BTTACKLER = "bttackler"
STAGED = ("BT02", "BT03", "BT04", "BT06", "BT07")  # want to know how many epochs are planned


@dataclass(frozen=True, slots=True)
class Answer:
    """What came of a run: the outcomes, or the traceback of a failure."""

    name: str
    judged: Judged | None
    seconds: float
    failure: str = ""


def variants() -> tuple[str, ...]:
    """Ours, ours with few frames, and the others'."""
    ours, *theirs = rule_sets()
    return (ours, SPARSE, *theirs)


def judge_all(runs: Sequence[Run], folder: Path, jobs: int) -> list[Answer]:
    """Judge every run, with a line of progress each; in the order of `runs`."""
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(jobs, mp_context=context) as pool:
        futures = {pool.submit(answer, run, folder): run.name for run in runs}
        found: dict[str, Answer] = {}
        for place, future in enumerate(as_completed(futures), 1):
            one = found[futures[future]] = future.result()
            state = "FAILED" if one.failure else f"{one.seconds:.1f} s"
            print(f"{place} of {len(runs)}  {one.name}  {state}", flush=True)
    return [found[run.name] for run in runs]


def answer(run: Run, folder: Path) -> Answer:
    """Judge one run; one that fails must not end the others."""
    logging.disable(logging.CRITICAL)  # what is switched off is told on the page
    warnings.simplefilter("ignore")  # sick numbers warn, and that is right
    begin = time.perf_counter()
    try:
        judged, failure = judge(run, folder / run.file), ""
    except Exception:  # noqa: BLE001
        judged, failure = None, traceback.format_exc()
    return Answer(run.name, judged, time.perf_counter() - begin, failure)


def judge(run: Run, trace: Path) -> Judged:
    """What every rule set says of a run."""
    return Judged(run, {name: _outcome(name, trace) for name in variants()})


def _outcome(name: str, trace: Path) -> Outcome:
    if name in (DEFAULT, SPARSE):
        return ours(trace, EVERY if name == SPARSE else 1)
    thresholds = _planned_epochs(trace) if name == BTTACKLER else None
    verdict = replay(trace, rules=name, thresholds=thresholds)
    return outcome_of(verdict.diagnosis, verdict.cases)


def _planned_epochs(trace: Path) -> dict[str, dict[str, Any]]:
    """BTTackler knows the planned epochs of a trial; ours are all carried out."""
    with Trace.open(trace) as opened:
        epochs = len(opened.epochs)
    return {code: {"epochs": epochs} for code in STAGED} if epochs else {}


def ours(trace: Path, every: int) -> Outcome:
    """Our catalogue, shown only one frame in `every`, with the verdict and what is told."""
    engine = TellingEngine(choose(DEFAULT))
    with Trace.open(trace) as opened:
        tell(opened, engine, every=every)
    diagnosis, conclusion = engine.diagnosis(), engine.conclusion()
    return replace(
        outcome_of(diagnosis, engine.cases),
        causes=causes_of(diagnosis, conclusion),
        warned=engine.warned,
        verdict=str(conclusion.verdict),
        fault=bool(conclusion.faults),
    )


def causes_of(diagnosis: Diagnosis, conclusion: Conclusion) -> tuple[str, ...]:
    """The slugs of faults, then of suspicions, in the order in which they are listed as likely
    causes of a run that does not learn; of one that learns as they would be."""
    suspicions = [
        one
        for one in diagnosis.findings
        if one.kind is not Kind.SYMPTOM and one not in diagnosis.consequences
    ]
    ordered = (*conclusion.faults, *suspicions)
    return tuple(dict.fromkeys(one.slug for one in ordered))


def outcome_of(diagnosis: Diagnosis, cases: Sequence[Case]) -> Outcome:
    """What is kept of a verdict."""
    opened: dict[str, int] = {}
    for case in cases:
        opened.setdefault(case.finding.slug, case.opened)
    loud = {case.finding.slug for case in cases if case.finding.severity is not Severity.INFO}
    off = {slug: why for slug, why in diagnosis.not_checked.items() if "switched off" in why}
    return Outcome(
        findings=tuple(finding.slug for finding in diagnosis.findings),
        opened=opened,
        loud=tuple(sorted(loud)),
        cases=len(cases),
        switched_off=off,
    )
