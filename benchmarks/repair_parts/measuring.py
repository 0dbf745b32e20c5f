"""Runs one case one way, in a process of its own: untouched, healed, or with one remedy alone."""

from __future__ import annotations

import json
import multiprocessing
import os
import resource
import time
import traceback
from functools import cache
from pathlib import Path
from typing import Any

from .cases import Case, plan

STAGES = ("untouched", "race", "sequential", "effects")


def measured(case: Case, stage: str, folder: Path) -> dict[str, Any]:
    """The result of a case at a stage, measured now or read; what fails is kept with its error."""
    path = folder / f"{case.name}.{stage}.json"
    if path.is_file():
        return json.loads(path.read_text())  # type: ignore[no-any-return]
    _warm_up()
    context = multiprocessing.get_context("fork")
    process = context.Process(target=_write, args=(case, stage, path))
    process.start()
    process.join()
    if not path.is_file():
        return {"case": case.to_json(), "stage": stage, "error": f"exit code {process.exitcode}"}
    return json.loads(path.read_text())  # type: ignore[no-any-return]


@cache
def _warm_up() -> None:
    """What each process would have to import is imported once, before they are forked."""
    from paramedic.probe.options import Options
    from paramedic.treat import training
    from paramedic.treat.remedies import remedies_for

    del training
    Options().detectors()
    remedies_for("")


def _write(case: Case, stage: str, path: Path) -> None:
    import torch

    torch.set_num_threads(1)
    began, wall = time.process_time(), time.monotonic()
    try:
        result = {"untouched": _untouched, "effects": _effects}.get(stage, _healed)(case, stage)
    except Exception:  # noqa: BLE001 - one case must not end the benchmark
        result = {"error": traceback.format_exc(limit=4)}
    result |= {
        "case": case.to_json(),
        "stage": stage,
        "seconds": time.process_time() - began,
        "wall": time.monotonic() - wall,
        "memory": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss,
    }
    partial = path.with_suffix(".partial")
    partial.write_text(json.dumps(result))
    os.replace(partial, path)


def _untouched(case: Case, stage: str) -> dict[str, Any]:
    """The plan as it is, from its seed to its end, not even watched."""
    from paramedic.treat.training import Training

    del stage
    os.environ["PARAMEDIC"] = "off"
    whole = plan(case)
    training = Training(whole)
    training.advance(whole.steps)
    point = training.judge()
    error = training.failure.error if training.failure else ""
    curve = [one.to_json() for one in training.points]
    return {"metric": _told(point.metric), "curve": curve, "steps": training.step, "failed": error}


def _healed(case: Case, stage: str) -> dict[str, Any]:
    import paramedic

    outcome = paramedic.heal(plan(case), strategy=stage).to_json()
    outcome.pop("plan")
    for one in outcome["attempts"]:
        if one["number"] not in (0, outcome["chosen"]):
            one["curve"] = []
    return outcome


def _effects(case: Case, stage: str) -> dict[str, Any]:
    """Each remedy against the first finding, alone and to the end (AUTOTRAINER's Table 6)."""
    from paramedic.treat.heal.attempt import Attempt, Watchfulness
    from paramedic.treat.heal.candidates import Candidate, candidates
    from paramedic.treat.heal.quiet import quiet_monitors
    from paramedic.treat.remedies import remedies_for

    del stage
    effects = []
    with quiet_monitors():
        first = Attempt(0, plan(case))
        leg = first.advance(first.plan.steps, Watchfulness())
        if not leg.findings:
            return {"problem": None, "effects": []}
        problem = leg.findings[0]
        for candidate in candidates(first, problem, remedies_for(problem.slug), ()):
            if not isinstance(candidate, Candidate):
                continue
            one = Attempt(1, candidate.plan, candidate.treatment)
            end = one.advance(one.plan.steps, Watchfulness(serious=False, accepted=_ALL))
            gone = problem.slug not in {found.slug for found in end.findings}
            metric = _told(end.point.metric)
            effects.append({"remedy": one.name, "gone": gone and not end.error, "metric": metric})
    return {"problem": problem.slug, "effects": effects}


class _Everything(frozenset[str]):
    """Holds any slug: nothing ends a leg early."""

    def __contains__(self, value: object) -> bool:
        return True


_ALL = _Everything()


def _told(value: float) -> float | None:
    return value if value == value else None
