"""Runs legs on a Ray cluster.

The machines need not share a disk: a task gets the plan and the record of an attempt, trains one
leg in a folder of its own, and gives its files back. Ray carries plans by its own means; nothing of
that is kept.
"""

from __future__ import annotations

import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

import torch

from paramedic.optional import require
from paramedic.probe.isolation import logger
from paramedic.trace import fresh_path
from paramedic.treat.heal.attempt import Attempt, Watchfulness
from paramedic.treat.plan import Plan

_CARRIED = ("record.json", "checkpoint.safetensors")
_TRACE = "trace.db"


def run_on_ray(
    attempts: Sequence[Attempt], until: Sequence[int], watchfulness: Watchfulness
) -> None:
    """Train a leg of each attempt, one task each. One that fails is left to this process."""
    ray = _connected()
    waiting = [pair for pair in zip(attempts, until, strict=True) if not pair[0].is_recorded]
    leg = ray.remote(num_cpus=1)(trained)
    jobs = []
    for attempt, step in waiting:
        attempt.release()
        jobs.append(_sent(leg, attempt, step, watchfulness))
    for (attempt, _), job in zip(waiting, jobs, strict=True):
        try:
            files = ray.get(job)
        except ray.exceptions.RayError as error:
            logger.error("Ray could not train `%s` (%s); it is trained here.", attempt.name, error)
            continue
        _keep(attempt, files)


def carry(module: ModuleType) -> None:
    """Send what a module defines along with plans: the machines of the cluster do not have it."""
    require("ray", extra="ray", needed_by="--ray").cloudpickle.register_pickle_by_value(module)


def trained(
    plan: Plan, files: Mapping[str, bytes], until: int, watchfulness: Watchfulness
) -> dict[str, bytes]:
    """What a task does: the files of an attempt, with one leg more."""
    torch.set_num_threads(1)
    with tempfile.TemporaryDirectory(prefix="paramedic-") as place:
        folder = Path(place)
        for name, content in files.items():
            (folder / name).write_bytes(content)
        attempt = Attempt(0, plan, folder=folder)
        while attempt.is_recorded:
            attempt.advance(plan.steps, watchfulness)
        attempt.advance(until, watchfulness)
        attempt.release()  # which closes the trace
        return {name: (folder / name).read_bytes() for name in (*_CARRIED, _TRACE)}


def _connected() -> Any:
    """Ray, connected to the cluster of RAY_ADDRESS, or to one that is started on this machine."""
    ray = require("ray", extra="ray", needed_by="--ray")
    if not ray.is_initialized():
        ray.init(include_dashboard=False, log_to_driver=False)
    return ray


def _sent(leg: Any, attempt: Attempt, until: int, watchfulness: Watchfulness) -> Any:
    assert attempt.folder is not None
    paths = [attempt.folder / name for name in _CARRIED]
    files = {path.name: path.read_bytes() for path in paths if path.is_file()}
    try:
        return leg.remote(attempt.plan, files, until, watchfulness)
    except TypeError as error:
        raise ValueError(
            f"The plan cannot be sent to a cluster: {error}. Give its model as a function, and "
            "define what it uses at the top of a module."
        ) from error


def _keep(attempt: Attempt, files: Mapping[str, bytes]) -> None:
    """The checkpoint first: a record never promises more than there is."""
    assert attempt.folder is not None
    attempt.folder.mkdir(parents=True, exist_ok=True)
    fresh_path(attempt.folder / _TRACE).write_bytes(files[_TRACE])
    for name in reversed(_CARRIED):
        (attempt.folder / name).write_bytes(files[name])
    attempt.reload()
