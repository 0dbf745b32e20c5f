"""From an outcome to a patch that was tried and shown to work."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from paramedic.run.fix.patch import Patch
from paramedic.run.fix.patcher import Job, patchers
from paramedic.run.fix.trial import Trial, attempt
from paramedic.run.outcome import Outcome, Record, with_remedy
from paramedic.run.program import Program
from paramedic.types import Severity

_MOST_TRIALS = 6
_MOST_STEPS = 2000


@dataclass(frozen=True, slots=True)
class Budget:
    """What a trial may take: so many steps, and so many seconds."""

    steps: int = _MOST_STEPS
    seconds: float = 600.0


@dataclass(frozen=True, slots=True)
class Fix:
    """What came of `--fix`: the patch that is offered, and all that was tried."""

    patch: Patch | None = None
    trials: tuple[Trial, ...] = ()
    verified: bool = False


def budget(text: str | None) -> Budget:
    """`500` steps or `60s` seconds."""
    if text is None:
        return Budget()
    number = text.removesuffix("s")
    if not number.isdigit() or not int(number):
        raise ValueError(f"--budget must be steps (500) or seconds (60s) but got `{text}`.")
    if text.endswith("s"):
        return Budget(seconds=float(number))
    return Budget(steps=int(number))


def candidates(outcome: Outcome, program: Program) -> Iterator[tuple[Record, str, Patch]]:
    """Patches against what is wrong, the surest remedy of the root cause first."""
    seen: set[tuple[str, str, object]] = set()
    for record in outcome.records:
        roots = [
            one for one in (record.diagnosis.root, *record.diagnosis.others) if one is not None
        ]
        for finding in roots:
            if finding.severity is Severity.INFO:
                continue
            for remedy in record.remedies_for(finding):
                write = patchers().get(remedy.slug)
                job = Job(remedy, finding, record, program.arguments)
                for patch in () if write is None else _written(write, job):
                    key = (str(patch.file), patch.after, patch.arguments)
                    if key not in seen:
                        seen.add(key)
                        yield record, finding.slug, patch


def _written(write: Callable[[Job], Iterator[Patch]], job: Job) -> list[Patch]:
    """What a patcher comes up with; a file that it cannot read or parse is left alone."""
    try:
        return [one for one in write(job) if one.after != one.before or one.arguments is not None]
    except Exception:  # noqa: BLE001 - somebody's source may be anything; advice remains
        return []


def fix(
    outcome: Outcome, program: Program, limit: Budget, say: Callable[[str], None], *, verify: bool
) -> Fix:
    """The best patch that is verified; without `verify` the first there is.

    Once one convinces, only those are tried as well whose remedy we are surer of: they come later
    if they are expected to do less against what the problem brought about.
    """
    trials: list[Trial] = []
    settled = -1.0  # how sure we are of the remedy that convinced
    for record, slug, patch in candidates(outcome, program):
        if not verify:
            return Fix(patch)
        if len(trials) == _MOST_TRIALS:
            break
        if patch.remedy.confidence <= settled:
            continue
        say(f"trying: {patch.remedy.title} …")
        begin = time.perf_counter()
        short = bool(outcome.stopped) or limit.steps < record.steps
        steps = min(record.steps, limit.steps) if short else None
        trials.append(attempt(patch, program, record, slug, steps=steps, seconds=limit.seconds))
        say(f"  {trials[-1].sentence()} ({time.perf_counter() - begin:.0f} s)")
        if trials[-1].refused:  # the next patch would not change that
            break
        if trials[-1].convincing:
            settled = patch.remedy.confidence
    verified = [trial for trial in trials if trial.verified]
    best = max(verified, key=lambda trial: trial.gain, default=None)
    return Fix(None if best is None else best.patch, tuple(trials), best is not None)


def told(outcome: Outcome, found: Fix) -> Outcome:
    """The outcome with the diff, and with what the trials showed."""
    if found.patch is None:
        return outcome
    remedy = replace(found.patch.remedy, diff=found.patch.diff())
    trial = next((one for one in found.trials if one.patch is found.patch), None)
    verified = {}
    if trial is not None and trial.numbers is not None:
        verified[remedy.slug] = replace(trial.numbers, curves=trial.curves)
    return replace(with_remedy(outcome, remedy), verified=verified)
