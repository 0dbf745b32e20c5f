"""One run of the zoo, sick, sound and treated with each remedy that is advised against its root."""

from __future__ import annotations

import logging
import tempfile
import time
import traceback
import warnings
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import torch
from zoo.catalogue import recipes
from zoo.plan import Plan
from zoo.training import evaluate, train
from zoo.worker import Listener

import paramedic
from paramedic.diagnose.replay import Replay, replay
from paramedic.prescribe.confidence import Outcomes
from paramedic.prescribe.pharmacist import Pharmacist
from paramedic.types import Remedy, Severity

from .appliers import apply
from .duals import DUALS
from .success import Numbers, won_back
from .trial import Trial

NOTHING = Outcomes()
WORTH_TRYING = 0.2  # what is believed of a remedy before anything was measured
FREE = ("no-more-gain",)  # has cost nothing but time
RESTS = ("skip-step",)  # the loss that is not finite is still seen, and rightly told


@dataclass(frozen=True, slots=True)
class Task:
    """A run to treat, by name, so that it can be sent to another process: of the zoo or of two
    faults at once."""

    name: str
    seed: int
    part: str
    outcomes: Outcomes = NOTHING  # what is known when remedies are chosen
    least: float = WORTH_TRYING

    def adviser(self, detectors: Any) -> Pharmacist:
        """Who is asked for remedies."""
        return Pharmacist(detectors, least=self.least, outcomes=self.outcomes)

    @property
    def is_dual(self) -> bool:
        """Whether two faults were put into it."""
        return self.name in DUALS

    def plans(self) -> tuple[Plan, Plan]:
        """The plan with the fault, and the same without it."""
        if self.is_dual:
            return DUALS[self.name]
        recipe = recipes()[self.name]
        assert recipe.twin is not None
        return recipe.build().plan, recipe.twin().plan


@dataclass(frozen=True, slots=True)
class Answer:
    """What came of a task: trials, remedies that could not be applied, or a failure."""

    task: Task
    trials: tuple[Trial, ...] = ()
    untried: tuple[tuple[str, str], ...] = ()  # problem and remedy
    silent: bool = False  # nothing was found, so nothing was advised
    failure: str = ""
    seconds: float = 0.0  # of the processor: other work does not count


def answer(task: Task) -> Answer:
    """Try everything; one task that fails must not end the others."""
    torch.set_num_threads(1)
    warnings.simplefilter("ignore")  # sick runs warn, and that is right
    logging.disable(logging.CRITICAL)
    began = time.process_time()
    try:
        found = _answer(task)
    except Exception:  # noqa: BLE001
        found = Answer(task, failure=traceback.format_exc())
    return replace(found, seconds=time.process_time() - began)


def _answer(task: Task) -> Answer:
    sick, sound = task.plans()
    verdict, before = watched(sick, task.seed, task.adviser)
    roots, effects = _roots(verdict), _effects(verdict)
    if not roots:
        return Answer(task, silent=True)
    advised = [one for one in verdict.remedies if task.is_dual or roots[0] in one.against]
    treated = {one.slug: _treated(sick, task.seed, one) for one in advised}
    untried = tuple((roots[0], slug) for slug, found in treated.items() if found is None)
    if len(untried) == len(advised):
        return Answer(task, untried=untried)
    fresh, whole = unwatched(sound, task.seed)
    trials = []
    for remedy in advised:
        found = treated[remedy.slug]
        if found is None:
            continue
        after, numbers, same_loss = found
        rest = [one for one in (*roots, *effects) if not _gone(one, remedy, after)]
        goal = before if roots[0] in FREE else whole
        won = won_back(before, numbers, goal, fresh if same_loss else None)
        gone = roots[0] not in rest
        scores = (before.score, numbers.score, whole.score)
        told = (task.name, task.seed, task.part, roots, effects, remedy.slug, remedy.code)
        trials.append(Trial(*told, gone, not rest, gone and won, *scores))
    return Answer(task, tuple(trials), untried)


def _roots(verdict: Replay) -> tuple[str, ...]:
    """The root, and what stands beside it as more than a note."""
    root, others = verdict.diagnosis.root, verdict.diagnosis.others
    if root is None:
        return ()
    return (root.slug, *(one.slug for one in others if one.severity is not Severity.INFO))


def _effects(verdict: Replay) -> tuple[str, ...]:
    """What the roots bring about."""
    found = verdict.diagnosis.consequences
    return tuple(one.slug for one in found if one.severity is not Severity.INFO)


def _gone(problem: str, remedy: Remedy, verdict: Replay) -> bool:
    """Whether a problem is not there at the end of a treated run."""
    if problem == "non-finite" and remedy.slug in RESTS:
        return True  # whether it helped is told by the score
    still = {case.finding.slug for case in verdict.cases if case.is_open}
    return problem not in still & {finding.slug for finding in verdict.findings}


def _treated(sick: Plan, seed: int, remedy: Remedy) -> tuple[Replay, Numbers, bool] | None:
    plan = apply(sick, remedy)
    if plan is None:
        return None
    try:
        verdict, numbers = watched(plan, seed)
    except (RuntimeError, ValueError):  # the change does not fit this model
        return None
    return verdict, numbers, plan.loss is sick.loss


def watched(plan: Plan, seed: int, adviser: Any = None) -> tuple[Replay, Numbers]:
    """Train by a plan under our eyes; what is said of it, and advised if somebody is asked."""
    run = plan.build(seed)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "run.db"
        with paramedic.watch(
            run.model,
            run.optimizers,
            loss_fn=plan.loss if plan.hand_in_loss else None,
            trace=path,
            overhead=None,
            rules=None,
        ) as monitor:
            (plan.loop or train)(run, monitor)
        verdict = replay(path, adviser=adviser)
    return verdict, _numbers(run)


def unwatched(plan: Plan, seed: int) -> tuple[Numbers, Numbers]:
    """How a run begins and ends that nobody looks at."""
    run = plan.build(seed)
    fresh = _numbers(run)
    (plan.loop or train)(run, Listener())
    return fresh, _numbers(run)


def _numbers(run: Any) -> Numbers:
    last = evaluate(run)
    return Numbers(last.val_score, last.val_loss)
