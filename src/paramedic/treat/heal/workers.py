"""Runs legs in other processes of this machine.

Each process is a copy of this one (fork), so a plan with functions of the user's needs no
pickling; it trains one leg and leaves the result in the attempt's folder, where it is found.
"""

from __future__ import annotations

import multiprocessing
from collections.abc import Sequence
from multiprocessing.process import BaseProcess

import torch

from paramedic.treat.heal.attempt import Attempt, Watchfulness


def run_apart(
    attempts: Sequence[Attempt], until: Sequence[int], watchfulness: Watchfulness, workers: int
) -> None:
    """Train a leg of each attempt, so many at a time. One that fails is left to this process."""
    if "fork" not in multiprocessing.get_all_start_methods():
        raise ValueError("`workers` needs a system that can fork; use workers=1 here.")
    context = multiprocessing.get_context("fork")
    waiting = [pair for pair in zip(attempts, until, strict=True) if not pair[0].is_recorded]
    running: list[BaseProcess] = []
    for attempt, step in waiting:
        attempt.release()
        if len(running) >= workers:
            running.pop(0).join()
        process = context.Process(target=_leg, args=(attempt, step, watchfulness))
        process.start()
        running.append(process)
    for left in running:
        left.join()
    for attempt, _ in waiting:
        attempt.reload()


def _leg(attempt: Attempt, until: int, watchfulness: Watchfulness) -> None:
    torch.set_num_threads(1)  # the threads of the parent are not there
    attempt.advance(until, watchfulness)
