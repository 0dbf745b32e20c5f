"""The policy: what findings mean for a trial. Pure: the same visits give the same verdict.

What is fatal ends a trial at once. Anything else has to be confirmed, by a second symptom that is
measured in another way or by lasting, after the warm-up, and never ends a trial that is among the
best so far. A trial that gains nothing any more is finished, which is no blame.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from paramedic.hpo.policy import Policy
from paramedic.hpo.verdict import Decision, Verdict, Visit
from paramedic.types import Finding, Severity

Peers = Callable[[int], Sequence[float]]  # by epoch: how far the other trials were then

# What is seen in the loss itself; the rest is seen inside the net, its data or its gradients.
_LOSS = "L"
BEHIND = "behind"  # the symptom of being worse than the other trials were at the same age


def nobody(epoch: int) -> Sequence[float]:
    """No other trials to compare with."""
    return ()


@dataclass(frozen=True, slots=True)
class Judge:
    """Judges trials by a policy; in `shadow` it only says what it would have done."""

    policy: Policy = field(default_factory=Policy)
    shadow: bool = False

    def verdict(self, visits: Sequence[Visit], peers: Peers = nobody) -> Verdict:
        """What to do now, after these visits, the newest last.

        Args:
            visits: all visits of the trial so far.
            peers: the best values of the other trials after so many epochs, less is better;
                asked only when it matters.
        """
        if not visits:
            raise ValueError("A verdict needs at least one visit.")
        return replace(self._judged(visits, peers), shadow=self.shadow)

    def _judged(self, visits: Sequence[Visit], peers: Peers) -> Verdict:
        now, policy = visits[-1], self.policy
        fatal = [one for one in now.findings if one.slug in policy.fatal]
        if fatal:
            return _stop(now, fatal, "which nothing gets better from")
        if now.between or now.epoch <= policy.warm_up:
            return _go_on(now)
        symptoms = [one for one in now.findings if self._counts(one)]
        benign = [one for one in now.findings if one.slug in policy.benign]
        if not symptoms and not benign:
            return _go_on(now)
        standing = _Standing(now.value, peers(now.epoch), policy)
        found = self._convicted(visits, symptoms, standing)
        if found is not None and standing.among_best:
            return _go_on(now, symptoms, "among the best trials so far")
        if found is not None:
            return found
        if benign and policy.finish:
            why = benign[0].message
            return Verdict(Decision.FINISHED, now.epoch, now.step, benign[0].slug, why)
        return _go_on(now, symptoms, "not confirmed yet")

    def _counts(self, finding: Finding) -> bool:
        policy = self.policy
        if finding.slug in policy.ignored or finding.slug in policy.benign:
            return False
        return policy.any_symptom or finding.severity is not Severity.INFO

    def _convicted(
        self, visits: Sequence[Visit], symptoms: Sequence[Finding], standing: _Standing
    ) -> Verdict | None:
        """The verdict if there is enough against the trial, whoever it is."""
        now, policy = visits[-1], self.policy
        if not symptoms:
            return None
        if policy.any_symptom:
            return _stop(now, symptoms, "one indicator is enough")
        ways = {one.code[:1] == _LOSS for one in symptoms}
        if len(ways) + standing.behind >= policy.symptoms:
            also = (BEHIND,) if standing.behind else ()
            return _stop(now, symptoms, "confirmed in another way", also)
        lasting = [one for one in symptoms if self._lasts(one.slug, visits)]
        if lasting:
            return _stop(now, lasting, f"for {policy.persistence} epochs")
        return None

    def _lasts(self, slug: str, visits: Sequence[Visit]) -> bool:
        ended = [visit for visit in visits if not visit.between][-self.policy.persistence :]
        return len(ended) == self.policy.persistence and all(
            any(one.slug == slug for one in visit.findings) for visit in ended
        )


class _Standing:
    """How a trial stands among the others at the same age."""

    def __init__(self, value: float, peers: Sequence[float], policy: Policy) -> None:
        comparable = len(peers) >= policy.fewest and not math.isnan(value)
        better = sum(other < value for other in peers)
        self.among_best = comparable and better < policy.protect * (len(peers) + 1)
        self.behind = comparable and policy.behind < 1 and better >= policy.behind * len(peers)


def _stop(
    now: Visit, findings: Sequence[Finding], because: str, also: tuple[str, ...] = ()
) -> Verdict:
    root = findings[0]
    symptoms = (*(one.slug for one in findings), *also)
    why = f"{root.message} ({because})"
    return Verdict(Decision.STOP, now.epoch, now.step, root.slug, why, symptoms)


def _go_on(now: Visit, symptoms: Sequence[Finding] = (), spared: str = "") -> Verdict:
    told = tuple(one.slug for one in symptoms)
    return Verdict(
        Decision.CONTINUE, now.epoch, now.step, symptoms=told, spared=spared if told else ""
    )
