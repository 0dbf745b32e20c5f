"""Runs one recipe in a process of its own, watched and recorded or only compared."""

from __future__ import annotations

import time
import traceback
import warnings
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import torch

import paramedic

from .catalogue import recipes
from .learning import guess
from .plan import Run
from .training import Numbers, evaluate, train


@dataclass(frozen=True, slots=True)
class Result:
    """What came of a recipe: its numbers, or the traceback of its failure."""

    name: str
    seconds: float
    numbers: dict[str, Any]
    failure: str = ""


class Listener:
    """Takes the place of a monitor where nothing is recorded, and keeps the epochs."""

    def __init__(self) -> None:
        self.epochs: list[dict[str, float]] = []

    def epoch(self, /, **values: float) -> None:
        self.epochs.append(values)


def record(name: str, path: Path) -> Result:
    """Build the run of that name, train it under the eyes of Paramedic, keep its trace."""
    return _guarded(name, lambda: _record(name, path))


def compare(name: str) -> Result:
    """Train the run of that name and its sound twin, unwatched."""
    return _guarded(name, lambda: _compare(name))


def _guarded(name: str, work: Any) -> Result:
    torch.set_num_threads(1)
    warnings.simplefilter("ignore")  # sick runs warn, and that is right
    began = time.perf_counter()
    try:
        numbers, failure = work(), ""
    except Exception:  # noqa: BLE001 - one failing recipe must not end the others
        numbers, failure = {}, traceback.format_exc()
    return Result(name, time.perf_counter() - began, numbers, failure)


def _record(name: str, path: Path) -> dict[str, Any]:
    run = recipes()[name].build()
    unfinished = path.with_suffix(".part.db")
    for left in path.parent.glob(f"{unfinished.name}*"):
        left.unlink()
    first = asdict(evaluate(run))
    loss_fn = run.plan.loss if run.plan.hand_in_loss else None
    watched = getattr(run.model, "watched", run.model)
    with paramedic.watch(
        watched, run.optimizers, loss_fn=loss_fn, trace=unfinished, overhead=None, rules=None
    ) as monitor:
        _loop(run, monitor)
    if not_checked := monitor.not_checked:
        raise RuntimeError(f"Parts of the monitor failed: {not_checked}.")
    unfinished.replace(path)
    return {
        "first": first,
        "last": asdict(evaluate(run)),
        "steps": monitor.last_step + 1,
        "scoring": run.plan.scoring,
        "guess": guess(run),
    }


def _loop(run: Run, monitor: Any) -> None:
    (run.plan.loop or train)(run, monitor)


def _compare(name: str) -> dict[str, Any]:
    recipe = recipes()[name]
    numbers = {"sick": _unwatched(recipe.build())}
    if recipe.twin:
        numbers["sound"] = _unwatched(recipe.twin())
    return numbers


def _unwatched(run: Run) -> dict[str, Any]:
    listener = Listener()
    first = evaluate(run)
    _loop(run, listener)
    last: Numbers = evaluate(run)
    return {"first": asdict(first), "last": asdict(last), "epochs": listener.epochs}
