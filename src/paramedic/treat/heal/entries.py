"""Which attempts enter a race: remedies that were not tried, and those that were outrun before."""

from __future__ import annotations

import math

from paramedic.treat.heal.attempt import Attempt
from paramedic.treat.heal.candidates import Refused, candidates
from paramedic.treat.heal.session import Session
from paramedic.treat.remedies import remedies_for
from paramedic.types import Finding

STOP_EARLY = "stop-early"  # no remedy that is raced: the weights are there


class Entries:
    """Makes the attempts of each race; remembers what was tried on which plan."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._seconds: set[int] = set()  # attempts that were given a second chance
        self._tried: dict[int, set[str]] = {}  # remedies, by the attempt they were applied to

    def against(self, finding: Finding, base: Attempt) -> list[Attempt]:
        """Plans to try: if a remedy against this very problem did not last, others in its place;
        else what treats the problem, on top of what was done before, and the plan that came next
        in the race before: where it was put right another way the problem may never show."""
        treatment = base.treatment
        entries: list[Attempt] = []
        if treatment is not None and treatment.against == finding.slug:
            base.verdict = "the problem came back"
            assert base.parent is not None
            earlier = self._session.attempts[base.parent]
            entries = self._made(earlier, finding)
            entries += self._outrun(earlier)
        return entries or [*self._made(base, finding), *self.second(base)]

    def second(self, base: Attempt) -> list[Attempt]:
        """The best of those that the present attempt has outrun."""
        if base.parent is None or self._session.options.strategy == "sequential":
            return []
        outrun = self._outrun(self._session.attempts[base.parent])
        left = [one for one in outrun if one.number not in self._seconds]
        if not left:
            return []
        second = max(left, key=rank)
        self._seconds.add(second.number)
        return [second]

    def _outrun(self, parent: Attempt) -> list[Attempt]:
        """Those that lost a race only because another was better."""
        return [
            one
            for one in self._session.attempts
            if one.parent == parent.number and one.verdict == "outrun"
        ]

    def _made(self, base: Attempt, finding: Finding) -> list[Attempt]:
        options = self._session.options
        most = 1 if options.strategy == "sequential" else options.candidates
        allowed = self._session.plan.remedies
        if allowed is not None:
            allowed = [one for one in allowed if one != STOP_EARLY]
        known = remedies_for(finding.slug, allowed=allowed, strategy=options.strategy)
        tried = self._tried.setdefault(base.number, self._used(base))
        entries: list[Attempt] = []
        for candidate in candidates(base, finding, known, frozenset(tried)):
            if isinstance(candidate, Refused):
                tried.add(candidate.remedy)
                self._note(candidate, base)
                continue
            tried.add(candidate.treatment.remedy)
            entries.append(self._session.attempt(candidate.plan, candidate.treatment, base))
            if len(entries) == most:
                break
        return entries

    def _note(self, refused: Refused, base: Attempt) -> None:
        self._session.wasted += refused.steps * base.plan.batch_size
        self._session.reporter.say(f"{refused.remedy} does not fit: {refused.why}", base)

    def _used(self, attempt: Attempt) -> set[str]:
        """The remedies that made this attempt's plan."""
        used: set[str] = set()
        while attempt.parent is not None:
            used.add(attempt.name)
            attempt = self._session.attempts[attempt.parent]
        return used


def rank(attempt: Attempt) -> tuple[float, int]:
    """What to sort attempts by: how good they are, then how long they were trained."""
    metric = math.nan if attempt.last is None else attempt.last.point.metric
    known = math.isfinite(metric)
    return attempt.plan.measure.gain(0.0, metric) if known else -math.inf, attempt.step
