"""The policy at work: what findings and ranks mean for a trial. Pure: the same visits, the same
verdict.

What is fatal ends a trial at once. After the warm-up, a trial ends when it has next to no chance to
be among the best at its end, as far as can be told from how it stands among the others (`outlook`,
`Policy.chance`): as sick, if something was found in it that lasts or with which nothing is learned,
which names the cause, and else as finished, because it will not gain enough to matter: it keeps its
value. A finding alone has to be confirmed, by a second symptom that is measured in another way or
by lasting, and never ends a trial that is among the best so far, or whose loss falls faster and
faster. A trial that gains nothing any more is finished, which is no blame.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from paramedic.hpo.outlook import Outlook, outlook
from paramedic.hpo.policy import Policy
from paramedic.hpo.standing import Others, Peers, Standing, gathers_pace, lowest, nobody
from paramedic.hpo.verdict import BEHIND, Decision, Verdict, Visit
from paramedic.types import Finding, Severity

NO_MORE_GAIN = "no-more-gain"
_LOSS = "L"  # the family of what is seen on the loss curve; the rest is seen inside the net


@dataclass(frozen=True, slots=True)
class Judge:
    """Judges trials by a policy; in `shadow` it only says what it would have done.

    `epochs` is how many a trial is planned to have; as many as the others had, if not given.
    """

    policy: Policy = field(default_factory=Policy)
    shadow: bool = False
    epochs: int = 0

    def verdict(self, visits: Sequence[Visit], peers: Peers = nobody) -> Verdict:
        """What to do now, after these visits, the newest last.

        Args:
            visits: all visits of the trial so far.
            peers: the best values of the other trials (`standing.table`); asked only when it
                matters.
        """
        if not visits:
            raise ValueError("A verdict needs at least one visit.")
        return replace(self._judged(visits, peers), shadow=self.shadow)

    def _judged(self, visits: Sequence[Visit], peers: Peers) -> Verdict:
        now, policy = visits[-1], self.policy
        fatal = [one for one in now.findings if one.slug in policy.fatal]
        if fatal:
            return _stop(now, fatal, "fatal")
        if now.between or now.epoch <= policy.warm_up or now.epoch == self.epochs:
            return _go_on(now)  # after the last epoch there is nothing left to save
        found = [one for one in now.findings if self._counts(one)]
        ended = [visit for visit in visits if not visit.between]
        losses = list(zip(*(visit.losses for visit in ended), strict=True))
        others = peers() if found or not policy.any_symptom else nobody()
        views = self._views([visit.value for visit in ended], losses, others)
        standing, ahead = views[0], self._outlook(views)
        if ahead and self._is_behind(standing, ahead):
            causes = [one for one in found if self._weighs(one, ended)]
            return _outclassed(now, found, causes, self._told(standing, ahead))
        if not policy.any_symptom and any(map(gathers_pace, losses)):
            return _go_on(now, _slugs(found), "it gathers pace")
        convicted = self._convicted(ended, found, standing)
        if convicted and self._is_among_best(standing):
            return _go_on(now, convicted.symptoms, "among the best trials so far")
        return (
            convicted or self._finished(now, standing) or _go_on(now, _slugs(found), "one symptom")
        )

    def _views(
        self, values: Sequence[float], losses: Sequence[Sequence[float]], others: Others
    ) -> list[Standing]:
        """How the trial stands by its value and by each of its losses that can be compared."""
        by_loss = [
            Standing(lowest(curve), table, self.epochs)
            for curve, table in zip(losses, others.losses, strict=False)
            if not math.isnan(curve[-1])
        ]
        by_value = Standing(lowest(values), others.values, self.epochs)
        return [by_value, *(one for one in by_loss if self._is_comparable(one))]

    def _outlook(self, views: Sequence[Standing]) -> Outlook | None:
        """How it will stand at its end; None if there is too little to compare it with."""
        return outlook(views) if self._is_comparable(views[0]) else None

    def _is_behind(self, standing: Standing, ahead: Outlook) -> bool:
        """Whether it will not be among the best, and its value is not yet: losses may be worse
        where a net is held back from learning by heart."""
        if self.policy.any_symptom or standing.better < self.policy.best:
            return False
        return ahead.chance(self.policy.among(len(standing.others))) < self.policy.chance

    def _told(self, standing: Standing, ahead: Outlook) -> str:
        count = len(standing.others)
        best = self.policy.among(count)
        return (
            f"{standing.better * count:.0f} of {count} others were better at this age, and the "
            f"chance to end among the best {best:.1%} is {ahead.chance(best):.1%}, as it looks"
        )

    def _counts(self, finding: Finding) -> bool:
        policy = self.policy
        if finding.slug in policy.ignored or finding.slug in policy.benign:
            return False
        return policy.any_symptom or finding.severity is not Severity.INFO

    def _convicted(
        self, ended: Sequence[Visit], found: Sequence[Finding], standing: Standing
    ) -> Verdict | None:
        """The verdict if what was found is enough against the trial, whoever it is."""
        now, policy = ended[-1], self.policy
        if policy.any_symptom:
            return _stop(now, found, "one indicator is enough") if found else None
        if len(ended) < 2:
            return None  # one epoch tells little
        stuck = not standing.is_known or standing.stalled(policy.persistence)
        ways = {one.code[:1] == _LOSS for one in found}
        if stuck and len(ways) >= policy.symptoms:
            return _stop(now, found, "confirmed in another way")
        lasting = [
            one
            for one in found
            if (stuck or one.slug in policy.hopeless) and self._lasts(one.slug, ended)
        ]
        return _stop(now, lasting, f"for {policy.persistence} epochs") if lasting else None

    def _finished(self, now: Visit, standing: Standing) -> Verdict | None:
        """Long without a gain."""
        benign = [one for one in now.findings if one.slug in self.policy.benign]
        patience = math.ceil(self.policy.patience * standing.planned)
        over = standing.stalled(patience) if standing.is_known and patience else bool(benign)
        if not over:
            return None
        cause = benign[0].slug if benign else NO_MORE_GAIN
        why = benign[0].message if benign else "The last epochs brought nothing better."
        return Verdict(Decision.FINISHED, now.epoch, now.step, cause, why)

    def _is_comparable(self, standing: Standing) -> bool:
        return standing.is_known and len(standing.others) >= self.policy.fewest

    def _is_among_best(self, standing: Standing) -> bool:
        return self._is_comparable(standing) and standing.better < self.policy.protect

    def _weighs(self, finding: Finding, ended: Sequence[Visit]) -> bool:
        """Whether it is why a trial is behind: it was there at every epoch, of two at least, or for
        long."""
        constant = len(ended) > 1 and self._is_constant(finding.slug, ended)
        return finding.slug in self.policy.hopeless or constant

    def _lasts(self, slug: str, ended: Sequence[Visit]) -> bool:
        return len(ended) >= self.policy.persistence and self._is_constant(slug, ended)

    def _is_constant(self, slug: str, ended: Sequence[Visit]) -> bool:
        recent = ended[-self.policy.persistence :]
        return all(any(one.slug == slug for one in visit.findings) for visit in recent)


def _slugs(findings: Sequence[Finding]) -> tuple[str, ...]:
    return tuple(one.slug for one in findings)


def _outclassed(
    now: Visit,
    found: Sequence[Finding],
    causes: Sequence[Finding],
    worse: str,
) -> Verdict:
    """Some of what was found causes that it is behind; if nothing does, it is not to blame."""
    if causes:
        return _stop(now, causes, worse, BEHIND)
    why = f"It will not gain enough to matter: {worse}."
    symptoms = (*_slugs(found), BEHIND)
    return Verdict(Decision.FINISHED, now.epoch, now.step, NO_MORE_GAIN, why, symptoms)


def _stop(now: Visit, findings: Sequence[Finding], because: str, *more: str) -> Verdict:
    cause, message = findings[0].slug, findings[0].message
    symptoms = (*_slugs(findings), *more)
    return Verdict(Decision.STOP, now.epoch, now.step, cause, f"{message} ({because})", symptoms)


def _go_on(now: Visit, symptoms: tuple[str, ...] = (), spared: str = "") -> Verdict:
    spared = spared if symptoms else ""
    return Verdict(Decision.CONTINUE, now.epoch, now.step, symptoms=symptoms, spared=spared)
