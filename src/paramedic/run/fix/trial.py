"""Trying a patch: the patched program in a process of its own, compared with the original."""

from __future__ import annotations

import math
import os
import site
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import paramedic
from paramedic.experiment.sandbox import Ended, Limits, Sandbox
from paramedic.run.fix import tried
from paramedic.run.fix.course import ACCURACY, LOSS, VALIDATION, Course, course_of_record
from paramedic.run.fix.patch import Patch
from paramedic.run.outcome import Record, Verified
from paramedic.run.program import Program

_WORSE = 0.02  # of the metric: as much worse is noise
_CONVINCING = 0.1  # of the metric: as much better is a cure


@dataclass(frozen=True, slots=True)
class Trial:
    """What came of a patch. `verified` tells that the problem is gone and nothing is worse,
    `refused` that the program wanted what it cannot have where it is tried."""

    patch: Patch
    verified: bool
    why: str
    numbers: Verified | None = None
    curves: Mapping[str, Sequence[float]] = field(default_factory=dict)
    refused: bool = False

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
        if self.numbers.metric == ACCURACY:
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
    """Run the patched program in a sandbox and compare it with the original at the same length.

    Without `steps` it runs to its end, so that it also comes to its last evaluation.
    """
    ended = _run(program, patch, steps=steps, seconds=seconds)
    if ended.limit:
        return Trial(patch, False, ended.limit)
    if ended.refused is not None:
        return Trial(patch, False, f"not tried: {ended.refused}", refused=True)
    if not ended.well or tried.REPORT not in ended.files:
        last = ended.errors.strip().splitlines()[-1:]
        why = last[0] if last else str(ended.code)
        return Trial(patch, False, f"the patched program failed: {why}")
    report = tried.read(ended.files[tried.REPORT])
    return _compared(patch, course_of_record(record), report.course, report.slugs, slug)


def _run(program: Program, patch: Patch, *, steps: int | None, seconds: float) -> Ended:
    folder = Path(program.folder)
    script = patch.file if program.is_module else folder / program.target
    sandbox = Sandbox((folder, script.resolve().parent), Limits(seconds))
    arguments = program.arguments if patch.arguments is None else patch.arguments
    again = replace(program, arguments=tuple(arguments))
    return sandbox.run(
        tried.command(again, sandbox.private, steps),
        files={patch.file: patch.after},
        folder=folder,
        environment=_environment(program),
        collect=(tried.REPORT,),
    )


def _environment(program: Program) -> dict[str, str]:
    """That of the program when it began, with the way to ourselves."""
    given = program.environment
    paths = [
        os.path.join(program.folder, one)
        for one in given.get("PYTHONPATH", "").split(os.pathsep)
        if one
    ]
    home = str(Path(paramedic.__file__).resolve().parent.parent)
    if home not in site.getsitepackages() and home not in paths:
        paths.append(home)
    return {**given, **({"PYTHONPATH": os.pathsep.join(paths)} if paths else {})}


def _compared(
    patch: Patch, before: Course, after: Course, still: Sequence[str], slug: str
) -> Trial:
    steps = min(len(before.losses), len(after.losses))
    before, after = before.upto(steps), after.upto(steps)
    curves = {"before": before.curve(), "after": after.curve()}
    numbers = _numbers(before, after, steps)
    if numbers is None:
        return Trial(patch, False, "there was nothing to compare", None, curves)
    if slug in still:
        return Trial(patch, False, f"{slug} is still there", numbers, curves)
    trial = Trial(patch, True, f"{slug} is gone", numbers, curves)
    if trial.gain < -_WORSE or not math.isfinite(numbers.after):
        return replace(trial, verified=False, why="it got worse")
    return trial


def _numbers(before: Course, after: Course, steps: int) -> Verified | None:
    for metric in (VALIDATION, ACCURACY, LOSS):
        old, new = before.value(metric), after.value(metric)
        if old is not None and new is not None:
            return Verified(metric, old, new, steps)
    return None
