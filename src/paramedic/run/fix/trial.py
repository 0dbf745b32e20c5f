"""Trying a patch: the patched program in a process of its own, compared with the original."""

from __future__ import annotations

import json
import math
import os
import site
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

import paramedic
from paramedic.run.fix.patch import Patch
from paramedic.run.fix.scratch import Scratch, TooLarge
from paramedic.run.outcome import Record, Verified
from paramedic.run.program import Program
from paramedic.trace import Trace
from paramedic.types import Epoch

_WORSE = 0.02  # of the metric: as much worse is noise
_CONVINCING = 0.1  # of the metric: as much better is a cure
_TAIL = 0.1  # share of the steps at the end whose losses are averaged
_FEWEST = 10
_POINTS = 60  # of a curve in the report
_LOSS, _VALIDATION, _ACCURACY = "training loss", "val_loss", "val_acc"


@dataclass(frozen=True, slots=True)
class Course:
    """How a training went: the losses of its steps and the numbers of its epochs."""

    losses: Sequence[float] = ()
    epochs: Sequence[Epoch] = ()

    def upto(self, steps: int) -> Course:
        """As if it had ended earlier."""
        return Course(self.losses[:steps], [one for one in self.epochs if one.step < steps])

    def value(self, metric: str) -> float | None:
        """The metric at the end; None if it was not measured, infinite if it is not finite."""
        if metric == _LOSS:
            if not len(self.losses):
                return None
            count = max(int(len(self.losses) * _TAIL), _FEWEST)
            mean = float(np.mean(self.losses[-count:]))
            return mean if math.isfinite(mean) else math.inf
        values = [one.values[metric] for one in self.epochs if metric in one.values]
        return values[-1] if values else None

    def curve(self) -> list[float]:
        """A few points of the losses, for a picture."""
        parts = np.array_split(np.asarray(self.losses, float), min(_POINTS, len(self.losses)) or 1)
        return [float(part.mean()) for part in parts if len(part)]


@dataclass(frozen=True, slots=True)
class Trial:
    """What came of a patch. `verified` tells that the problem is gone and nothing is worse."""

    patch: Patch
    verified: bool
    why: str
    numbers: Verified | None = None
    curves: Mapping[str, Sequence[float]] = field(default_factory=dict)

    @property
    def convincing(self) -> bool:
        """Whether it is so much better that nothing else has to be tried."""
        return self.verified and self.gain >= _CONVINCING

    @property
    def gain(self) -> float:
        """By how much the metric is better, as a share of the loss or of the wrong answers; how
        much worse an accuracy is, as a share of all answers."""
        if self.numbers is None:
            return 0.0
        before, after = self.numbers.before, self.numbers.after
        if self.numbers.metric == _ACCURACY:
            return (after - before) / (1 - before if after > before else 1)
        if not math.isfinite(before):
            return 1.0 if math.isfinite(after) else 0.0
        return (before - after) / max(abs(before), 1e-12)

    def sentence(self) -> str:
        """For the user."""
        told = "" if self.numbers is None else (
            f" {self.numbers.metric} {self.numbers.before:.4g} → {self.numbers.after:.4g} after "
            f"{self.numbers.steps} steps"
        )  # fmt: skip
        return f"{self.why}{':' if told else ''}{told}"


def attempt(
    patch: Patch, program: Program, record: Record, slug: str, *, steps: int | None, seconds: float
) -> Trial:
    """Run the patched program in a copy and compare it with the original at the same length.

    Without `steps` it runs to its end, so that it also comes to its last evaluation.
    """
    with tempfile.TemporaryDirectory(prefix="paramedic-") as folder:
        root = Path(folder).resolve()
        script = patch.file if program.is_module else Path(program.target)
        try:
            scratch = Scratch(root, script, Path.cwd())
        except TooLarge as error:
            return Trial(patch, False, str(error))
        if not scratch.has(patch.file.resolve()):
            return Trial(patch, False, f"`{patch.file}` is outside of the program's folder")
        scratch.of(patch.file.resolve()).write_bytes(patch.after.encode("utf-8"))
        report, why = _run(program, patch, scratch, root, steps=steps, seconds=seconds)
        if report is None:
            return Trial(patch, False, why)
        course = course_of(root / "run.db")
    return _compared(patch, course_of_record(record), course, report, slug)


def _run(
    program: Program,
    patch: Patch,
    scratch: Scratch,
    root: Path,
    *,
    steps: int | None,
    seconds: float,
) -> tuple[dict[str, Any] | None, str]:
    arguments = program.arguments if patch.arguments is None else patch.arguments
    target = program.target if program.is_module else str(scratch.script)
    command = [
        sys.executable, "-m", "paramedic", "run", "--quiet", "--exit-zero",
        "--json", str(root / "report.json"), "--trace", str(root / "run.db"),
        *(["--max-steps", str(steps)] if steps is not None else []),
        *(["-m"] if program.is_module else []), target, *arguments,
    ]  # fmt: skip
    try:
        done = subprocess.run(
            command, cwd=scratch.working, env=_environment(), capture_output=True, timeout=seconds,
            stdin=subprocess.DEVNULL, check=False,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        return None, f"it did not end within {seconds:.0f} s"
    if done.returncode or not (root / "report.json").exists():
        last = done.stderr.decode(errors="replace").strip().splitlines()[-1:]
        return None, f"the patched program failed: {last[0] if last else done.returncode}"
    found: dict[str, Any] = json.loads((root / "report.json").read_text(encoding="utf-8"))
    return found, ""


def _environment() -> dict[str, str]:
    """Ours, with absolute paths, and with the way to ourselves: the program is tried in another
    directory."""
    paths = [
        os.path.abspath(one) for one in os.environ.get("PYTHONPATH", "").split(os.pathsep) if one
    ]
    home = str(Path(paramedic.__file__).resolve().parent.parent)
    if home not in site.getsitepackages() and home not in paths:
        paths.append(home)
    return {**os.environ, **({"PYTHONPATH": os.pathsep.join(paths)} if paths else {})}


def course_of(trace: Path) -> Course:
    """The course of a recorded training."""
    with Trace.open(trace) as found:
        return Course(found.pulse().loss.tolist(), tuple(found.epochs))


def course_of_record(record: Record) -> Course:
    """The course of the original."""
    if record.trace is not None and record.trace.exists():
        return course_of(record.trace)
    return Course(record.losses, record.epochs)


def _compared(
    patch: Patch, before: Course, after: Course, report: Mapping[str, Any], slug: str
) -> Trial:
    steps = min(len(before.losses), len(after.losses))
    before, after = before.upto(steps), after.upto(steps)
    curves = {"before": before.curve(), "after": after.curve()}
    numbers = _numbers(before, after, steps)
    if numbers is None:
        return Trial(patch, False, "there was nothing to compare", None, curves)
    still = [
        finding["slug"]
        for training in report["trainings"]
        for finding in training["findings"]
        if finding["severity_if_cause"] != "info"
    ]
    if slug in still:
        return Trial(patch, False, f"{slug} is still there", numbers, curves)
    trial = Trial(patch, True, f"{slug} is gone", numbers, curves)
    if trial.gain < -_WORSE or not math.isfinite(numbers.after):
        return replace(trial, verified=False, why="it got worse")
    return trial


def _numbers(before: Course, after: Course, steps: int) -> Verified | None:
    for metric in (_VALIDATION, _ACCURACY, _LOSS):
        old, new = before.value(metric), after.value(metric)
        if old is not None and new is not None:
            return Verified(metric, old, new, steps)
    return None
