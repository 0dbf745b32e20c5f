"""One run: trained, watched, made sick and treated as asked; what came of it as plain values."""

from __future__ import annotations

import contextlib
import hashlib
import json
import logging
import math
import re
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch
from torch import nn

import paramedic

from .patients import Patient, loss_of

_SLUG = re.compile(r"^([a-z-]+) \([A-Z]+\d+\): ")


@dataclass(frozen=True, slots=True)
class Shot:
    """One injected fault: `paramedic.inject(model, optimizer, fault, at=…, …)`."""

    fault: str
    at: int
    duration: float | None = None
    settings: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Watch:
    """How a run is watched; None of it: `watched=None`."""

    overhead: float | None = 0.01
    treat: str = "off"
    trace: Path | None = None
    emergencies: range = range(0)  # steps after which `monitor.emergency` is asked


class _Ear(logging.Handler):
    """Hears what a user is told, and when."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.step = 0  # the step under way
        self.told: list[tuple[int, str]] = []

    def emit(self, record: logging.LogRecord) -> None:
        found = _SLUG.match(record.getMessage())
        if found:
            self.told.append((self.step, found[1]))


class _Log:
    """Reads the log of a run while it is written: what is found, whether or not a user is told."""

    def __init__(self, file: Path) -> None:
        self.file = file
        self._place = 0
        self.found: list[tuple[int, str]] = []

    def read(self, step: int) -> None:
        """What is new is what was found in this step. Mere notes are left out."""
        if not self.file.exists():
            return
        with self.file.open(encoding="utf-8") as lines:
            lines.seek(self._place)
            new = [json.loads(line) for line in lines.read().splitlines()]
            self._place = lines.tell()
        self.found += [
            (step, one["slug"])
            for one in new
            if one["kind"] == "finding" and one["severity"] != "info"
        ]


@contextlib.contextmanager
def _listening() -> Iterator[_Ear]:
    logger, ear = logging.getLogger("paramedic"), _Ear()
    before = logger.propagate
    logger.addHandler(ear)
    logger.propagate = False
    try:
        yield ear
    finally:
        logger.removeHandler(ear)
        logger.propagate = before


def train(
    patient: Patient,
    watched: Watch | None = None,
    shots: Sequence[Shot] = (),
    until: int | None = None,
) -> dict[str, Any]:
    """Train for `until` steps, or all of them; what came of it."""
    with tempfile.TemporaryDirectory(prefix="doctor-") as folder:
        return _train(patient, watched, shots, until or patient.steps, _Log(Path(folder) / "log"))


def _train(
    patient: Patient, watched: Watch | None, shots: Sequence[Shot], steps: int, log: _Log
) -> dict[str, Any]:
    model, optimizer = patient.build()
    losses: list[float] = []
    found: dict[str, Any] = {}
    with contextlib.ExitStack() as stack:
        ear = stack.enter_context(_listening())
        monitor = None if watched is None else _watch(stack, model, optimizer, watched, log)
        for shot in shots:
            stack.enter_context(_inject(model, optimizer, shot))
        emergencies: list[dict[str, Any]] = []
        for step in range(steps):
            ear.step = step
            losses.append(_step(patient, model, optimizer, step))
            log.read(step)
            if monitor is not None and watched is not None and step in watched.emergencies:
                _ask(monitor, step, emergencies)
        if monitor is not None:
            found = _story(monitor, emergencies)
    if monitor is not None:
        found |= _end(monitor, ear, log)
    return {"loss": _number(patient.validate(model)), "digest": _digest(model, losses), **found}


def _watch(
    stack: contextlib.ExitStack, model: nn.Module, optimizer: Any, watched: Watch, log: _Log
) -> Any:
    monitor = paramedic.watch(
        model, optimizer, overhead=watched.overhead, treat=watched.treat, trace=watched.trace,
        log=log.file, strict=True,
    )  # fmt: skip
    return stack.enter_context(monitor)


def _inject(model: nn.Module, optimizer: Any, shot: Shot) -> Any:
    return paramedic.inject(
        model, optimizer, shot.fault, at=shot.at, duration=shot.duration, **shot.settings
    )


def _step(patient: Patient, model: Any, optimizer: Any, step: int) -> float:
    for group in optimizer.param_groups:
        group["lr"] = patient.rate(step)
    optimizer.zero_grad()
    loss = loss_of(model, *patient.batch(step))
    loss.backward()
    if patient.clip is not None:
        nn.utils.clip_grad_norm_(model.parameters(), patient.clip)
    optimizer.step()
    return float(loss.detach())


def _ask(monitor: Any, step: int, emergencies: list[dict[str, Any]]) -> None:
    emergency = monitor.emergency
    if emergency is not None:
        best = emergency.best
        problems = list(emergency.problems)
        emergencies.append(
            {"step": step, "problems": problems, "best": best.slug if best else None}
        )


def _story(monitor: Any, emergencies: list[dict[str, Any]]) -> dict[str, Any]:
    """What the monitor says, before it is closed."""
    diagnosis = monitor.diagnosis
    return {
        "root": diagnosis.root.slug if diagnosis.root else None,
        "emergencies": emergencies,
        "interventions": [
            [one.step, one.data["action"], one.data["cause"], one.data["answer"]]
            for one in monitor.interventions
        ],
        "looks": monitor.spent["looks"],
        "share": round(monitor.spent["share"], 4),
    }


def _end(monitor: Any, ear: _Ear, log: _Log) -> dict[str, Any]:
    """What was found and told, at the end of the run, too, and the verdict on it."""
    log.read(ear.step)
    return {
        "told": [list(one) for one in ear.told],
        "found": [list(one) for one in log.found],
        "verdict": str(monitor.conclusion.verdict),
    }


def _digest(model: nn.Module, losses: Sequence[float]) -> str:
    """One number for all losses and weights: runs that are the same bit for bit share it."""
    digest = hashlib.sha256(torch.tensor(losses, dtype=torch.float64).numpy().tobytes())
    for value in model.state_dict().values():
        digest.update(value.numpy().tobytes())
    return digest.hexdigest()[:16]


def _number(value: float) -> float | None:
    """JSON has no NaN."""
    return round(value, 5) if math.isfinite(value) else None
