"""The policy at work: what findings and ranks mean for a trial. Pure: the same visits, the same
verdict.

What is fatal ends a trial at once. After the warm-up, a trial ends when too many of the others
were better at the same age (`Policy.limit`), by what they are after and by their loss, of which
one alone may be bad luck: as sick, if something was found in it that lasts or
with which nothing is learned, which names the cause, and else as finished, because it will not
gain enough to matter: it keeps its value. A finding alone has to be confirmed, by a second symptom
that is measured in another way or by lasting, and never ends a trial that is among the best so
far. Whose loss falls faster and faster is spared. A trial that gains nothing any more is finished,
which is no blame.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from paramedic.hpo.policy import Policy
from paramedic.hpo.standing import Peers, Standing, gathers_pace, lowest, nobody
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
        if now.between or now.epoch <= policy.warm_up:
            return _go_on(now)
        found = [one for one in now.findings if self._counts(one)]
        ended = [visit for visit in visits if not visit.between]
        if not policy.any_symptom and gathers_pace([visit.loss for visit in ended]):
            return _go_on(now, _slugs(found), "it gathers pace")
        others = peers() if found or not policy.any_symptom else nobody()
        standing = Standing([visit.value for visit in ended], others.values, self.epochs)
        losses = Standing(lowest([visit.loss for visit in ended]), others.losses, self.epochs)
        if self._is_behind(standing) and self._is_behind(losses, unknown=True):
            causes = [one for one in found if self._weighs(one, ended)]
            return _outclassed(now, found, causes, standing)
        convicted = self._convicted(ended, found, standing)
        if convicted and self._is_among_best(standing):
            return _go_on(now, convicted.symptoms, "among the best trials so far")
        return (
            convicted or self._finished(now, standing) or _go_on(now, _slugs(found), "one symptom")
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
        """Long without a gain; or shorter, if others are better too."""
        policy = self.policy
        benign = [one for one in now.findings if one.slug in policy.benign]
        if standing.is_known and policy.confirmed:
            passed = self._is_comparable(standing) and (
                standing.behind(policy.deviations) >= policy.passed
            )
            over = standing.stalled(policy.confirmed if passed else policy.patience)
        else:
            over = bool(benign)
        if not over:
            return None
        cause = benign[0].slug if benign else NO_MORE_GAIN
        why = benign[0].message if benign else "The last epochs brought nothing better."
        return Verdict(Decision.FINISHED, now.epoch, now.step, cause, why)

    def _is_behind(self, standing: Standing, *, unknown: bool = False) -> bool:
        """Whether too many others were better at this age; `unknown` if that cannot be told."""
        policy = self.policy
        if policy.any_symptom or not self._is_comparable(standing):
            return unknown
        return standing.behind(policy.deviations) >= policy.limit(standing.age)

    def _is_comparable(self, standing: Standing) -> bool:
        return standing.is_known and len(standing.others) >= self.policy.fewest

    def _is_among_best(self, standing: Standing) -> bool:
        return self._is_comparable(standing) and standing.better < self.policy.protect

    def _weighs(self, finding: Finding, ended: Sequence[Visit]) -> bool:
        """Whether it is why a trial is behind: one seen now and then may pass."""
        return finding.slug in self.policy.hopeless or self._lasts(finding.slug, ended)

    def _lasts(self, slug: str, ended: Sequence[Visit]) -> bool:
        recent = ended[-self.policy.persistence :]
        return len(recent) == self.policy.persistence and all(
            any(one.slug == slug for one in visit.findings) for visit in recent
        )


def _slugs(findings: Sequence[Finding]) -> tuple[str, ...]:
    return tuple(one.slug for one in findings)


def _outclassed(
    now: Visit, found: Sequence[Finding], causes: Sequence[Finding], standing: Standing
) -> Verdict:
    """Some of what was found causes that it is behind; if nothing does, it is not to blame."""
    count = len(standing.others)
    worse = f"{standing.better * count:.0f} of {count} others were better at this age"
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
