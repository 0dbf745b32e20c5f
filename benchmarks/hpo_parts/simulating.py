"""Replays the recorded studies under our rules and the rivals', on the trials for judging."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from itertools import repeat
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from benchmarks.hpo_parts.recording import JUDGING, TUNING
from benchmarks.hpo_parts.tasks import TASKS
from paramedic.hpo.bootstrap import Report, bootstrap
from paramedic.hpo.memory import Memory
from paramedic.hpo.policy import POLICIES, Policy
from paramedic.hpo.rivals import RIVALS, Diagnosed, Rule
from paramedic.hpo.timeline import Timeline, timelines
from paramedic.hpo.verdict import Decision, Verdict, Visit

DRAWS = 40  # pairs of studies
LENGTH = 150  # trials of a study that is drawn
# Ours without the symptoms that compare trials: what diagnosis does alone.
ALONE = Policy(chance=0.0)
# Ours without a limit to how many trials are kept.
EVERY = Policy(most=0)
RULES: dict[str, tuple[str, Rule]] = {
    "none": ("", RIVALS["none"]()),
    "ours": ("default", Diagnosed(Policy())),
    "ours, any best tenth": ("default", Diagnosed(EVERY)),
    "ours, findings and patience only": ("default", Diagnosed(ALONE)),
    "bttackler": ("bttackler", Diagnosed(POLICIES["bttackler"])),
    "median stop": ("", RIVALS["median"]()),
    "ASHA": ("", RIVALS["asha"]()),
    "Hyperband": ("", RIVALS["hyperband"]()),
    "extrapolation": ("", RIVALS["extrapolation"]()),
    "patience": ("", RIVALS["patience"]()),
}


ORACLES = (1, 2, 3, 4, 5, 6)


@dataclass(frozen=True, slots=True)
class Oracle:
    """Knows how each trial will end: stops all but the best tenth after some epochs. No rule that
    needs so many epochs to judge can do better."""

    border: float
    epochs: int

    @classmethod
    def of(cls, pool: Sequence[Timeline], epochs: int) -> Oracle:
        bests = sorted(trial.best for trial in pool)
        return cls(bests[math.ceil(0.1 * len(bests)) - 1], epochs)

    def verdicts(self, trial: Timeline, memory: Memory) -> Iterator[tuple[Visit, Verdict]]:
        if trial.best > self.border:
            visit = Visit(self.epochs, 0)
            yield visit, Verdict(Decision.STOP, self.epochs, 0, "oracle")


def simulate(folder: Path, draws: int = DRAWS, processes: int = 1) -> dict[str, Any]:
    """All tasks under all rules: reports as plain values."""
    with ProcessPoolExecutor(processes, get_context("spawn")) as pool:
        found = list(pool.map(_simulated, TASKS, repeat(folder), repeat(draws)))
    return {"draws": draws, "length": LENGTH, "tasks": dict(zip(TASKS, found, strict=True))}


def _simulated(name: str, folder: Path, draws: int) -> dict[str, Any]:
    """One task."""
    study = JUDGING.study(folder, name)
    pools = {rules: timelines(study, rules or ()) for rules in ("", "default", "bttackler")}
    reports = list(_reports(pools, draws))
    bounds = [_bound(pools[""], epochs, draws) for epochs in ORACLES]
    print(f"simulated {name}", flush=True)
    return {
        "bounds": {one.rule: one.to_json() for one in bounds},
        "tuning": sum(1 for part in TUNING for _ in part.study(folder, name).trials()),
        "trials": len(pools[""]),
        "good": math.ceil(0.1 * len(pools[""])),
        "seconds": sum(one.seconds[-1] for one in study.trials()),
        "reports": {one.rule: one.to_json() for one in reports},
    }


def _reports(pools: dict[str, list[Timeline]], draws: int) -> Iterator[Report]:
    for name, (rules, rule) in RULES.items():
        yield bootstrap(name, rule, pools[rules], draws, length=LENGTH)


def _bound(pool: list[Timeline], epochs: int, draws: int) -> Report:
    return bootstrap(str(epochs), Oracle.of(pool, epochs), pool, draws, length=LENGTH)
