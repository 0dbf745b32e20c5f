"""How often the rules were right: everything on the page is counted here."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from paramedic.types import Verdict

from .naming import codes, family, meanings, symptoms, vocabulary
from .runs import Judged, Outcome, Run, healthy, sick


class Spread(NamedTuple):
    """A median with its quartiles."""

    middle: float
    lower: float
    upper: float


@dataclass(frozen=True, slots=True)
class Tally:
    """What was counted over some sick runs.

    `noticed`: anything at all was found. `alarmed`: a user was warned. `found`: the right
    sickness, or an accepted neighbour, is among the findings. `named`: it is the root. `caused`:
    it is the first among faults and suspicions. `told`: the verdict is right.
    """

    runs: int
    noticed: int
    alarmed: int
    found: int
    named: int
    caused: int
    told: int
    cases: int
    delays: tuple[float, ...]

    @property
    def delay(self) -> Spread | None:
        """Median and quartiles of the delays of the runs that were found."""
        if not self.delays:
            return None
        lower, middle, upper = np.percentile(self.delays, (25, 50, 75))
        return Spread(float(middle), float(lower), float(upper))


@dataclass(frozen=True, slots=True)
class Calm:
    """What was counted over some healthy runs.

    `alarmed`: a user was warned; `failed` of these by the verdict. `suspected`: something of
    severity warning or worse was found, told or not: treatment would have acted on it.
    """

    runs: int
    alarmed: int
    failed: int
    suspected: int
    findings: int
    cases: int


def is_right(slug: str, run: Run) -> bool:
    """Whether a finding of any rule set names the sickness of a run."""
    return bool(meanings(slug) & run.right_names)


def is_found(run: Run, outcome: Outcome) -> bool:
    """Whether the right sickness is among the findings."""
    return any(is_right(slug, run) for slug in outcome.findings)


def is_named(run: Run, outcome: Outcome) -> bool:
    """Whether the right sickness is the root."""
    return outcome.root is not None and is_right(outcome.root, run)


def is_cause_first(run: Run, outcome: Outcome) -> bool:
    """Whether the right sickness is the first among faults and suspicions. One that is no cause
    but a symptom, such as overfitting, must be the root of all that is found instead."""
    if run.slug in symptoms():
        return is_named(run, outcome)
    return bool(outcome.causes) and is_right(outcome.causes[0], run)


def is_verdict_right(run: Run, outcome: Outcome) -> bool:
    """Whether a sick run is said to fail, or to have a fault; one that learned nevertheless, by
    its own metric, may also be said to learn."""
    learns = run.learned and outcome.verdict == Verdict.LEARNING
    return outcome.failed or outcome.fault or learns


def delay(run: Run, outcome: Outcome) -> float | None:
    """From the onset to when the right name was first found, as a share of the planned steps."""
    told = [outcome.opened[slug] for slug in outcome.findings if is_right(slug, run)]
    return (min(told) - run.onset) / run.steps if told else None


def tally(judged: Iterable[Judged], rule_set: str) -> Tally:
    """Count over the sick among these runs."""
    pairs = [(one.run, one.outcomes[rule_set]) for one in sick(judged)]
    delays = (delay(*pair) for pair in pairs)
    return Tally(
        runs=len(pairs),
        noticed=sum(outcome.root is not None for _, outcome in pairs),
        alarmed=sum(bool(outcome.warnings) for _, outcome in pairs),
        found=sum(is_found(*pair) for pair in pairs),
        named=sum(is_named(*pair) for pair in pairs),
        caused=sum(is_cause_first(*pair) for pair in pairs),
        told=sum(is_verdict_right(*pair) for pair in pairs),
        cases=sum(outcome.cases for _, outcome in pairs),
        delays=tuple(value for value in delays if value is not None),
    )


def calm(judged: Iterable[Judged], rule_set: str) -> Calm:
    """Count over the healthy among these runs."""
    outcomes = [one.outcomes[rule_set] for one in healthy(judged)]
    return Calm(
        runs=len(outcomes),
        alarmed=sum(bool(outcome.warnings) for outcome in outcomes),
        failed=sum(outcome.failed for outcome in outcomes),
        suspected=sum(bool(outcome.loud) for outcome in outcomes),
        findings=sum(len(outcome.findings) for outcome in outcomes),
        cases=sum(outcome.cases for outcome in outcomes),
    )


def covered(judged: Iterable[Judged], rule_set: str) -> list[Judged]:
    """The sick runs for whose sickness a rule set has a name."""
    return [one for one in sick(judged) if one.run.right_names & vocabulary(rule_set)]


def by_slug(judged: Iterable[Judged]) -> dict[str, list[Judged]]:
    """The sick runs by sickness, in the order of the codes."""
    every = sick(judged)
    order = sorted({one.run.slug for one in every}, key=lambda slug: codes()[slug])
    return {slug: [one for one in every if one.run.slug == slug] for slug in order}


def by_family(judged: Iterable[Judged]) -> dict[str, list[Judged]]:
    """The sick runs by the letter of the code."""
    found: dict[str, list[Judged]] = {}
    for slug, runs in by_slug(judged).items():
        found.setdefault(family(slug), []).extend(runs)
    return found


def misnamed(judged: Iterable[Judged], rule_set: str) -> list[Judged]:
    """The sick runs whose root is not the right sickness."""
    return [one for one in sick(judged) if not is_named(one.run, one.outcomes[rule_set])]


def misjudged(judged: Iterable[Judged], rule_set: str) -> list[Judged]:
    """The sick runs whose verdict is not right."""
    return [one for one in sick(judged) if not is_verdict_right(one.run, one.outcomes[rule_set])]


def miscaused(judged: Iterable[Judged], rule_set: str) -> list[Judged]:
    """The sick runs of which another cause comes first."""
    return [one for one in sick(judged) if not is_cause_first(one.run, one.outcomes[rule_set])]


def alarmed(judged: Iterable[Judged], rule_set: str) -> list[Judged]:
    """The healthy runs of which a user was warned."""
    return [one for one in healthy(judged) if one.outcomes[rule_set].warnings]


def suspected(judged: Iterable[Judged], rule_set: str) -> list[Judged]:
    """The healthy runs in which something of severity warning or worse was found."""
    return [one for one in healthy(judged) if one.outcomes[rule_set].loud]


def early(judged: Iterable[Judged], rule_set: str) -> list[Judged]:
    """The sick runs whose right name was found before the fault was there."""
    timed = ((one, delay(one.run, one.outcomes[rule_set])) for one in sick(judged))
    return [one for one, value in timed if value is not None and value < 0]


def switched_off(judged: Sequence[Judged], rule_set: str) -> dict[str, str]:
    """Detectors that failed or were too slow, with the reason and one run where it happened."""
    return {
        slug: f"{why} ({one.run.name})"
        for one in judged
        for slug, why in one.outcomes[rule_set].switched_off.items()
    }
