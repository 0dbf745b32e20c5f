"""Live studies: each sampler with and without diagnosis, side by side for the same time.

The two studies of a pair have the same sampler, the same seed and one thread each, and begin at the
same moment: other work that the machine has hits both alike. A pair that is done is kept in a file
and not run again; remove the files when the rules have changed.
"""

from __future__ import annotations

import json
import os
import warnings
from collections.abc import Callable, Mapping
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from functools import partial
from multiprocessing import get_context
from multiprocessing.synchronize import Barrier
from pathlib import Path
from typing import Any

import torch
from optuna.samplers import BaseSampler, GPSampler, RandomSampler, TPESampler

from benchmarks.hpo_parts import data
from benchmarks.hpo_parts.live_scores import score, summarize
from benchmarks.hpo_parts.live_study import Stopwatch, run
from benchmarks.hpo_parts.recording import warm_up
from benchmarks.hpo_parts.space import Space
from benchmarks.hpo_parts.tasks import TASKS

BUDGET = 120.0  # seconds of each study
SEEDS = 3
IMAGES = (1000, 800)  # to train and to validate with: a trial takes about two seconds
FIRST_SEED, APART = 9100, 1000  # each trial adds its number, so studies share no seed
# Of numerical libraries, and of SMAC's forest; read in each process when these are loaded.
_ONE_CORE = {"OMP_NUM_THREADS": "1", "LOKY_MAX_CPU_COUNT": "1"}
_PATIENCE = 300.0  # seconds that a study waits for the other to be ready


def _smac(space: Space, seed: int) -> BaseSampler:
    from benchmarks.hpo_parts.smac_sampler import SmacSampler  # takes seconds, for one of four

    return SmacSampler(space, seed)


SAMPLERS: dict[str, Callable[[Space, int], BaseSampler]] = {
    "Random": lambda space, seed: RandomSampler(seed=seed),
    "TPE": lambda space, seed: TPESampler(seed=seed),
    "GP": lambda space, seed: GPSampler(seed=seed),
    "SMAC": _smac,
}


def measure(folder: Path, budget: float = BUDGET, seeds: int = SEEDS) -> dict[str, Any]:
    """Run the pairs that are not done yet, and sum up all.

    Seed by seed, so that a cut leaves as many of each sampler.
    """
    pairs = []
    for seed in range(FIRST_SEED, FIRST_SEED + seeds * APART, APART):
        for sampler in SAMPLERS:
            path = folder / f"{sampler}-{seed}-{budget:g}s.json"
            if not path.exists():
                pair = side_by_side(sampler, seed, budget)
                score(pair)  # raises if nothing ended in time: that is not kept
                _keep(path, pair)
                print(f"ran {sampler} with seed {seed}, with and without", flush=True)
            pairs.append(json.loads(path.read_text("utf-8")))
    return {**summarize(pairs), "images": IMAGES}


def _keep(path: Path, pair: Mapping[str, Any]) -> None:
    """Whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_suffix(".part")
    draft.write_text(json.dumps(pair, allow_nan=False) + "\n", encoding="utf-8")
    draft.replace(path)


def side_by_side(sampler: str, seed: int, budget: float) -> dict[str, Any]:
    """One pair: two processes, a study in each."""
    os.environ.update(_ONE_CORE)
    context = get_context("spawn")
    ready = context.Barrier(2)
    with ProcessPoolExecutor(2, context, initializer=_meet_at, initargs=(ready,)) as pool:
        ours, plain = (
            pool.submit(_study, sampler, seed, budget, watched) for watched in (True, False)
        )
        studies = {"with": ours.result(), "without": plain.result()}
    return {"sampler": sampler, "seed": seed, "budget": budget, **studies}


_ready: list[Barrier] = []  # in a process of the pool: where the two studies wait for each other


def _meet_at(ready: Barrier) -> None:
    """A barrier cannot be handed to a process later than at its start."""
    _ready.append(ready)


def _study(sampler: str, seed: int, budget: float, watched: bool) -> dict[str, Any]:
    torch.set_num_threads(1)
    warnings.filterwarnings("ignore", message="Using padding='same' with even kernel")
    task = replace(TASKS["cnn"], load=partial(data.images, *IMAGES))
    warm_up(task)
    made = SAMPLERS[sampler](task.space, seed)
    for barrier in _ready:
        barrier.wait(_PATIENCE)
    return run(task, made, seed, Stopwatch(budget), watched=watched)
