"""The policy at work: what findings mean for a trial. Pure: the same visits, the same verdict.

What is fatal ends a trial at once. Anything else has to be confirmed, by a second symptom that is
measured in another way or by lasting, after the warm-up, and never ends a trial that is among the
best so far or whose loss falls faster and faster. Being worse than others is no reason by itself:
the trial's own curve has to say too that it will not come to where the best are. A trial that
gains nothing any more is finished, which is no blame.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from paramedic.hpo.policy import Policy
from paramedic.hpo.standing import Peers, Standing, gathers_pace, nobody
from paramedic.hpo.verdict import Decision, Verdict, Visit
from paramedic.types import Finding, Severity

BEHIND = "behind"  # worse than the other trials were at the same age
OUT_OF_REACH = "out-of-reach"  # at its pace it will not come to where others are already
NO_MORE_GAIN = "no-more-gain"
_EARLY = 0.2  # the age at which `behind` holds
_FEW = 3  # others among whom a trial can be among the best; to be worse takes more
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
            return _stop(now, fatal, (), "fatal")
        if now.between or now.epoch <= policy.warm_up:
            return _go_on(now)
        found = [one for one in now.findings if self._counts(one)]
        bests = [visit.value for visit in visits if not visit.between]
        losses = [visit.loss for visit in visits if not visit.between]
        if gathers_pace(losses) and not policy.any_symptom:
            return _go_on(now, _slugs(found), "it gathers pace")
        standing = Standing(bests, peers() if self._compares(found) else nobody(), self.epochs)
        verdict = self._convicted(visits, found, standing)
        if verdict and BEHIND not in verdict.symptoms and self._is_among_best(standing):
            return _go_on(now, verdict.symptoms, "among the best trials so far")
        return verdict or self._finished(now, standing) or _go_on(now, _slugs(found), "one symptom")

    def _compares(self, found: Sequence[Finding]) -> bool:
        """Whether the other trials matter."""
        policy = self.policy
        return bool(found) or policy.reach < 1 or policy.confirmed > 0

    def _counts(self, finding: Finding) -> bool:
        policy = self.policy
        if finding.slug in policy.ignored or finding.slug in policy.benign:
            return False
        return policy.any_symptom or finding.severity is not Severity.INFO

    def _convicted(
        self, visits: Sequence[Visit], found: Sequence[Finding], standing: Standing
    ) -> Verdict | None:
        """The verdict if there is enough against the trial, whoever it is."""
        now, policy = visits[-1], self.policy
        if policy.any_symptom:
            return _stop(now, found, (), "one indicator is enough") if found else None
        comparable = self._is_comparable(standing)
        behind = comparable and self._is_behind(standing)
        slow = comparable and standing.out_of_reach >= policy.reach
        symptoms = {OUT_OF_REACH: slow, BEHIND: behind}
        more = tuple(name for name, there in symptoms.items() if there)
        curve = slow or any(one.code[:1] == _LOSS for one in found)
        inside = any(one.code[:1] != _LOSS for one in found)
        if not (slow if comparable else self._is_stuck(standing)):
            return None  # what will be good enough is not ended for a finding
        if inside + curve + behind >= policy.symptoms and (behind or self._is_stuck(standing)):
            return _stop(now, found, more, "confirmed in another way")
        lasting = [one for one in found if self._lasts(one.slug, visits)]
        if lasting:
            return _stop(now, lasting, more, f"for {policy.persistence} epochs")
        return None

    def _finished(self, now: Visit, standing: Standing) -> Verdict | None:
        """Long without a gain; or shorter, if something else says so too."""
        policy = self.policy
        benign = [one for one in now.findings if one.slug in policy.benign]
        if standing.is_known and policy.confirmed:
            agreed = self._is_comparable(standing) and (
                standing.surely_better >= policy.passed
                or (bool(benign) and not self._is_among_best(standing))
            )
            over = standing.stalled(policy.patience) or (
                agreed and standing.stalled(policy.confirmed)
            )
        else:
            over = bool(benign)
        if not over:
            return None
        cause = benign[0].slug if benign else NO_MORE_GAIN
        why = benign[0].message if benign else "The last epochs brought nothing better."
        return Verdict(Decision.FINISHED, now.epoch, now.step, cause, why)

    def _is_stuck(self, standing: Standing) -> bool:
        """Whether the last epochs brought nothing."""
        return not standing.is_known or standing.stalled(self.policy.persistence)

    def _is_behind(self, standing: Standing) -> bool:
        """Whether enough others were better. The more of a trial is left, as a share of what is
        over, the more of them it takes; of one that is far behind the best, as few as at its end.
        """
        policy = self.policy
        left = (1 / standing.age - 1) * _EARLY / (1 - _EARLY)
        enough = policy.behind_late + (policy.behind - policy.behind_late) * left
        if standing.surely_better >= enough:
            return True
        return standing.surely_better >= policy.behind_late and standing.far_behind(policy.far)

    def _is_comparable(self, standing: Standing) -> bool:
        return standing.is_known and len(standing.others) >= self.policy.fewest

    def _is_among_best(self, standing: Standing) -> bool:
        policy = self.policy
        enough = policy.fewest if policy.any_symptom else _FEW
        known = standing.is_known and len(standing.others) >= enough
        return known and standing.better < policy.protect

    def _lasts(self, slug: str, visits: Sequence[Visit]) -> bool:
        ended = [visit for visit in visits if not visit.between][-self.policy.persistence :]
        return len(ended) == self.policy.persistence and all(
            any(one.slug == slug for one in visit.findings) for visit in ended
        )


def _slugs(findings: Sequence[Finding]) -> tuple[str, ...]:
    return tuple(one.slug for one in findings)


def _stop(now: Visit, findings: Sequence[Finding], more: tuple[str, ...], because: str) -> Verdict:
    if findings:
        cause, message = findings[0].slug, findings[0].message
    else:
        cause, message = OUT_OF_REACH, "At its pace it stays behind where other trials are already."
    symptoms = (*_slugs(findings), *more)
    return Verdict(Decision.STOP, now.epoch, now.step, cause, f"{message} ({because})", symptoms)


def _go_on(now: Visit, symptoms: tuple[str, ...] = (), spared: str = "") -> Verdict:
    spared = spared if symptoms else ""
    return Verdict(Decision.CONTINUE, now.epoch, now.step, symptoms=symptoms, spared=spared)
