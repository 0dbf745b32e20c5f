"""What to do when a problem comes back: something stronger than what did not help.

The first time, the best remedy is tried. If the same problem is found again within 500 steps of
it, the next rung of a ladder is taken: halve the rate, then clip, then roll back, then stop. The
500 steps are ten of the windows that Training Doctor judges by, and a quarter of the distance
between the faults it injects: long enough for a remedy to show, short enough that an unrelated
accident later in the run begins anew.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from paramedic.prescribe.cure import Dose
from paramedic.prescribe.cures import cure_named
from paramedic.types import Finding, Remedy, Window

LADDER = ("lower-rate", "clip-gradients", "roll-back", "stop")
WITHIN = 500  # steps


@dataclass(frozen=True, slots=True)
class Given:
    """A remedy that was given: when, against which problem."""

    step: int
    problem: str
    remedy: str


def rung(problem: str, step: int, history: Iterable[Given], within: int = WITHIN) -> str | None:
    """The rung of the ladder to take now, or None if this is no repetition.

    Rungs that were taken already, as a first remedy too, are not taken again, and the ladder is
    only climbed. At its top it says `stop` for good.
    """
    if within < 1:
        raise ValueError(f"`within` must be at least 1 step but got {within}.")
    recent = [
        one.remedy for one in history if one.problem == problem and 0 <= step - one.step <= within
    ]
    if not recent:
        return None
    taken = [LADDER.index(remedy) for remedy in recent if remedy in LADDER]
    return LADDER[min(max(taken, default=-1) + 1, len(LADDER) - 1)]


def escalate(
    finding: Finding,
    window: Window,
    remedies: Sequence[Remedy],
    history: Iterable[Given],
    within: int = WITHIN,
) -> tuple[Remedy, ...]:
    """The remedies of a finding, with the rung to take now before all others.

    What was tried within the window and did not last is left out; `remedies` unchanged if this is
    the first time.
    """
    past = [one for one in history if one.problem == finding.slug]
    step = window.last_step
    name = rung(finding.slug, step, past, within)
    if name is None:
        return tuple(remedies)
    tried = {one.remedy for one in past if 0 <= step - one.step <= within}
    rest = [one for one in remedies if one.slug not in tried and one.slug != name]
    return (_rung(name, finding, window, remedies), *rest)


def _rung(name: str, finding: Finding, window: Window, remedies: Sequence[Remedy]) -> Remedy:
    """The remedy of a rung: the one that was advised, or a new one of the same kind."""
    advised = next((one for one in remedies if one.slug == name), None)
    if advised is not None and name != "lower-rate":
        return advised
    cure = cure_named(name)
    dose = _HALVED if name == "lower-rate" else cure.dose(finding, window)
    if dose is None:  # there is nothing to go back to
        return _rung(LADDER[LADDER.index(name) + 1], finding, window, remedies)
    return cure.filled(dose, finding.slug, _SURE, "escalation: the problem came back")


_SURE = 0.5  # not measured: it is taken because what was surer did not last
_HALVED = Dose("Halve the learning rate", "learning_rate *= 0.5", "scale-rate", {"factor": 0.5})
